// Cancellation over the C interface: an atomic flag behind a handle. Nothing here takes a lock,
// which a signal handler could find taken.
#include <new>

#include "engine/bindings/c/edge.h"

extern "C" {

assay_cancellation* assay_cancellation_create(void) noexcept {
  return new (std::nothrow) assay_cancellation;
}

void assay_cancellation_request(assay_cancellation* cancellation) noexcept {
  if (cancellation != nullptr) cancellation->wish.request();
}

int assay_cancellation_is_requested(const assay_cancellation* cancellation) noexcept {
  return assay::is_cancelled(assay::c::wish_of(cancellation)) ? 1 : 0;
}

void assay_cancellation_free(assay_cancellation* cancellation) noexcept { delete cancellation; }

}  // extern "C"
