// A management library that knows as many GPUs of compute capability 9.0 as FAKE_GPUS says (none
// without it), so that the cases of the command line see the same machine everywhere. Only what
// tools/cli/machine_facts.cc calls.
#include <stdlib.h>
#include <string.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned* count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device);
int nvmlDeviceGetName(void* device, char* name, unsigned length);
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor);

static int the_device;

int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  const char* fake = getenv("FAKE_GPUS");
  *count = fake == NULL ? 0 : (unsigned)atoi(fake);
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &the_device;
  return index == 0 ? 0 : 2;
}
int nvmlDeviceGetName(void* device, char* name, unsigned length) {
  (void)device;
  strncpy(name, "Fake Hopper", length);
  return 0;
}
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  (void)device;
  *major = 9;
  *minor = 0;
  return 0;
}
