"""emulated_test.py BACKEND_CPU_TEST: tests the packed kernels of Arm CPUs newer than this one under Debian's qemu-user, or says why it cannot."""
import platform
import shutil
import subprocess
import sys

SKIPPED = 77


def main():
    if platform.machine() != "aarch64":
        print(f"skipped: this is {platform.machine()}, needs aarch64; here the CPU's own kernels are tested by backend_cpu_test")
        return SKIPPED
    qemu = shutil.which("qemu-aarch64")
    if qemu is None:
        print("skipped: saw no qemu-aarch64, which emulates bf16 and i8mm; install Debian's qemu-user")
        return SKIPPED
    result = subprocess.run([qemu, "-cpu", "max", sys.argv[1], "--gtest_filter=PackedKernels.*:RoundedAttendChoice.*:Every/PackedProducts.*mmla:Every/RoundedAttend.*/bfmmla"],
                            capture_output=True, text=True)
    print(result.stdout + result.stderr)
    for kernel in ("bf16_bfmmla: tested", "int8_smmla: tested"):
        if kernel not in result.stdout:
            print(f"emulated_test: saw no \"{kernel}\"; this qemu may be too old")
            return 1
    return result.returncode


sys.exit(main())
