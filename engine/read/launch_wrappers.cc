// One table. An option that is missing in `options_with_value` is taken to stand alone; its value
// would then be taken for the program, which no launcher matches, and the search for a launcher
// among the later words (launch_command_reader) still finds it.
#include "engine/read/launch_wrappers.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

constexpr std::string_view kDockerOptions =
    "-a --attach --add-host --annotation --blkio-weight --cap-add --cap-drop --cgroup-parent "
    "--cgroupns --cidfile --cpu-period --cpu-quota --cpu-shares -c --cpus --cpuset-cpus "
    "--cpuset-mems --device --device-cgroup-rule --dns --dns-option --dns-search --domainname "
    "--entrypoint -e --env --env-file --expose --gpus --group-add --health-cmd --health-interval "
    "--health-retries --health-start-period --health-timeout -h --hostname --ip --ip6 --ipc "
    "--isolation -l --label --label-file --link --log-driver --log-opt --mac-address -m --memory "
    "--memory-reservation --memory-swap --memory-swappiness --mount --name --net --network "
    "--network-alias --oom-score-adj --pid --pids-limit --platform -p --publish --pull --restart "
    "--runtime --security-opt --shm-size --stop-signal --stop-timeout --storage-opt --sysctl "
    "--tmpfs --ulimit -u --user --userns --uts -v --volume --volume-driver --volumes-from -w "
    "--workdir --detach-keys --userns --hooks-dir --pod --arch --os --secret";
constexpr std::string_view kKubectlOptions =
    "-n --namespace --image --env -l --labels --overrides --port --restart -c --container "
    "--context --kubeconfig --limits --requests --image-pull-policy --annotations --dry-run -o "
    "--output --field-manager --pod-running-timeout --serviceaccount";
constexpr std::string_view kSrunOptions =
    "-A --account -N --nodes -n --ntasks -p --partition -t --time -w --nodelist -x --exclude -c "
    "--cpus-per-task -J --job-name -o --output -e --error -i --input -q --qos -G --gpus "
    "--gpus-per-node --gpus-per-task --gres --mem --mem-per-gpu --mem-per-cpu --ntasks-per-node "
    "--ntasks-per-gpu --container-image --container-mounts --container-name --container-workdir "
    "--container-env --mpi --cpu-bind --gpu-bind --distribution -m --constraint -C --reservation "
    "--jobid --het-group --export -D --chdir -r --relative --kill-on-bad-exit -K --network -W "
    "--wait --environment";
constexpr std::string_view kMpiOptions =
    "-n -np --np -c -H -host --host -hostfile --hostfile -machinefile --machinefile -N -npernode "
    "--npernode -ppn -x -map-by --map-by -bind-to --bind-to -rank-by --rank-by -wdir --wdir -wd "
    "-genv -env -output-filename --output-filename --prefix -f --timeout -rf --rankfile --tag";
constexpr std::string_view kTorchrunOptions =
    "--nnodes --nproc-per-node --nproc_per_node --node-rank --node_rank --master-addr "
    "--master_addr --master-port --master_port --rdzv-backend --rdzv_backend --rdzv-endpoint "
    "--rdzv_endpoint --rdzv-id --rdzv_id --rdzv-conf --rdzv_conf --max-restarts --max_restarts "
    "--monitor-interval --start-method --role --log-dir --log_dir -r --redirects -t --tee "
    "--local-addr --local_addr --local-ranks-filter";
constexpr std::string_view kSingularityOptions =
    "-B --bind --env --env-file -H --home --pwd -W --workdir --overlay -S --scratch --app "
    "--network --security --mount --hostname --dns --apply-cgroups --fusemount";

constexpr auto kProgram = WrapperKind::program;
constexpr auto kContainer = WrapperKind::container;
constexpr auto kShell = WrapperKind::shell;

constexpr std::array kWrappers = {
    Wrapper{kProgram, "nohup", "", "", 0, false, ""},
    Wrapper{kProgram, "exec", "", "-a", 0, false, ""},
    Wrapper{kProgram, "command", "", "", 0, false, ""},
    Wrapper{kProgram, "env", "", "-u --unset -C --chdir", 0, true, ""},
    Wrapper{kProgram, "sudo", "",
            "-u --user -g --group -h --host -p --prompt -C --close-from -T -D --chdir -R --chroot "
            "-r -t",
            0, true, ""},
    Wrapper{kProgram, "doas", "", "-u -C", 0, false, ""},
    Wrapper{kProgram, "time", "", "-o --output -f --format", 0, false, ""},
    Wrapper{kProgram, "timeout", "", "-s --signal -k --kill-after", 1, false, ""},
    Wrapper{kProgram, "taskset", "", "", 1, false, ""},
    Wrapper{kProgram, "nice", "", "-n --adjustment", 0, false, ""},
    Wrapper{kProgram, "ionice", "", "-c --class -n --classdata", 0, false, ""},
    Wrapper{kProgram, "chrt", "", "-T -P -D", 1, false, ""},
    Wrapper{kProgram, "stdbuf", "", "-i --input -o --output -e --error", 0, false, ""},
    Wrapper{kProgram, "unbuffer", "", "", 0, false, ""},
    Wrapper{kProgram, "setsid", "", "", 0, false, ""},
    Wrapper{kProgram, "tini", "", "-p", 0, false, ""},
    Wrapper{kProgram, "dumb-init", "", "-r --rewrite", 0, false, ""},
    Wrapper{kProgram, "numactl", "",
            "-i --interleave -p --preferred -m --membind -N --cpunodebind -C --physcpubind -w "
            "--weighted-interleave",
            0, false, ""},
    Wrapper{kProgram, "strace", "", "-e -o -p -s -E -P", 0, false, ""},
    Wrapper{kProgram, "nsys", "profile",
            "-o --output -t --trace -s --sample -c --capture-range -d --duration -y --delay "
            "--session-new -e --env-var",
            0, false, ""},
    Wrapper{kProgram, "ncu", "", "-o --export -k --kernel-name -c --launch-count -s --set", 0,
            false, ""},
    Wrapper{kProgram, "py-spy", "record", "-o --output -f --format -r --rate -d --duration", 0,
            false, ""},
    Wrapper{kProgram, "srun", "", kSrunOptions, 0, false, ""},
    Wrapper{kProgram, "mpirun", "", kMpiOptions, 0, false, "-x"},
    Wrapper{kProgram, "mpiexec", "", kMpiOptions, 0, false, "-x"},
    Wrapper{WrapperKind::python, "torchrun", "", kTorchrunOptions, 0, false, ""},
    Wrapper{WrapperKind::python, "python", "-m torch.distributed.run", kTorchrunOptions, 0, false,
            ""},
    Wrapper{WrapperKind::python, "python", "-m torch.distributed.launch", kTorchrunOptions, 0,
            false, ""},
    Wrapper{WrapperKind::python, "accelerate", "launch",
            "--num_processes --num_machines --config_file --gpu_ids --main_process_port", 0, false,
            ""},
    Wrapper{WrapperKind::python, "deepspeed", "",
            "--num_gpus --num_nodes --hostfile -i --include -e --exclude --master_port", 0, false,
            ""},
    Wrapper{kProgram, "uv", "run",
            "--with --with-editable --with-requirements --extra --group -p --python --project "
            "--directory --env-file --index --index-url -i --package --only-group --no-extra "
            "--cache-dir --prerelease --refresh-package -P --upgrade-package",
            0, false, ""},
    Wrapper{kProgram, "uvx", "", "--from --with -p --python --index --index-url", 0, false, ""},
    Wrapper{kProgram, "poetry", "run", "", 0, false, ""},
    Wrapper{kProgram, "pipenv", "run", "", 0, false, ""},
    Wrapper{kProgram, "pixi", "run", "-e --environment --manifest-path", 0, false, ""},
    Wrapper{kProgram, "conda", "run", "-n --name -p --prefix --cwd", 0, false, ""},
    Wrapper{kProgram, "mamba", "run", "-n --name -p --prefix --cwd", 0, false, ""},
    Wrapper{kProgram, "micromamba", "run", "-n --name -p --prefix --cwd -e --env", 0, false, ""},
    Wrapper{kContainer, "docker", "container run", kDockerOptions, 1, false, "-e --env"},
    Wrapper{kContainer, "docker", "compose run",
            "-e --env -v --volume --name -p -u -w --entrypoint", 1, false, "-e --env"},
    Wrapper{kContainer, "docker", "run", kDockerOptions, 1, false, "-e --env"},
    Wrapper{kContainer, "docker", "exec", "-e --env -u --user -w --workdir --env-file", 1, false,
            "-e --env"},
    Wrapper{kContainer, "podman", "run", kDockerOptions, 1, false, "-e --env"},
    Wrapper{kContainer, "podman", "exec", "-e --env -u --user -w --workdir", 1, false, "-e --env"},
    Wrapper{kContainer, "nerdctl", "run", kDockerOptions, 1, false, "-e --env"},
    Wrapper{kContainer, "docker", "create", kDockerOptions, 1, false, "-e --env"},
    Wrapper{kContainer, "singularity", "exec", kSingularityOptions, 1, false, "--env"},
    Wrapper{kContainer, "singularity", "run", kSingularityOptions, 1, false, "--env"},
    Wrapper{kContainer, "apptainer", "exec", kSingularityOptions, 1, false, "--env"},
    Wrapper{kContainer, "apptainer", "run", kSingularityOptions, 1, false, "--env"},
    Wrapper{kContainer, "enroot", "start", "-e --env -m --mount -c --conf", 1, false, "-e --env"},
    Wrapper{kContainer, "kubectl", "run", kKubectlOptions, 1, false, "--env"},
    Wrapper{kContainer, "kubectl", "exec", kKubectlOptions, 1, false, ""},
    Wrapper{WrapperKind::remote, "ssh", "", "-p -i -l -o -F -J -L -R -D -b -c -E -m -w -W", 1,
            false, ""},
    Wrapper{WrapperKind::remote, "tmux", "new-session", "-s -n -c -x -y -t -F -e", 0, false, ""},
    Wrapper{WrapperKind::remote, "tmux", "new", "-s -n -c -x -y -t -F -e", 0, false, ""},
    Wrapper{WrapperKind::remote, "tmux", "new-window", "-n -c -t -F -e", 0, false, ""},
    Wrapper{WrapperKind::remote, "screen", "", "-S -c -t -T -h -s", 0, false, ""},
    Wrapper{WrapperKind::remote, "eval", "", "", 0, false, ""},
    Wrapper{WrapperKind::remote, "watch", "", "-n --interval", 0, false, ""},
    Wrapper{kShell, "bash", "", "-o -O --rcfile --init-file", 0, false, ""},
    Wrapper{kShell, "sh", "", "-o", 0, false, ""},
    Wrapper{kShell, "dash", "", "-o", 0, false, ""},
    Wrapper{kShell, "zsh", "", "-o", 0, false, ""},
    Wrapper{kShell, "ksh", "", "-o", 0, false, ""},
    Wrapper{kShell, "ash", "", "-o", 0, false, ""},
};

constexpr std::array<std::string_view, 25> kMentions = {
    "echo",    "printf", "grep", "egrep",   "fgrep", "rg",     "pgrep",  "pkill", "kill",
    "killall", "cat",    "sed",  "awk",     "alias", "which",  "type",   "man",   "test",
    "[",       "pip",    "apt",  "apt-get", "git",   "export", "history"};

}  // namespace

std::string_view program_name(std::string_view path) {
  const auto slash = path.find_last_of("/\\");
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (name.ends_with(".exe")) name.remove_suffix(4);
  const auto last = name.find_last_not_of("0123456789.");
  return last == std::string_view::npos ? name : name.substr(0, last + 1);
}

bool is_listed(std::string_view options, std::string_view option) {
  while (!options.empty()) {
    const auto blank = std::min(options.find(' '), options.size());
    if (options.substr(0, blank) == option) return true;
    options.remove_prefix(std::min(blank + 1, options.size()));
  }
  return false;
}

const Wrapper* find_wrapper(std::string_view program, std::string_view second,
                            std::string_view third) {
  const std::string_view name = program_name(program);
  for (const Wrapper& wrapper : kWrappers) {
    if (wrapper.name != name) continue;
    if (wrapper.subcommand.empty() || wrapper.subcommand == second) return &wrapper;
    const auto blank = wrapper.subcommand.find(' ');
    if (blank != std::string_view::npos && wrapper.subcommand.substr(0, blank) == second &&
        wrapper.subcommand.substr(blank + 1) == third)
      return &wrapper;
  }
  return nullptr;
}

bool is_mention(std::string_view program) {
  return std::find(kMentions.begin(), kMentions.end(), program_name(program)) != kMentions.end();
}

}  // namespace assay
