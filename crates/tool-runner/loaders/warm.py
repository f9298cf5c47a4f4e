# Stays, and makes a copy of itself for each call, before the call is there. It never hears of a request: only the copy does,
# so nothing of a call is in the memory from which the next one is made. It runs no text but this and the standard library's.
#
#   this ──fork──▶ copy: waits ◀── "SECONDS" + four descriptors: request, answer, stdout, stderr ── host
#   host ◀── "STATUS LEFT", once everything that the copy started is dead ── this
#   host ◀── "clean", if nothing else is left of it ── this ──fork──▶ the next copy
#
# Both hold the socket, their standard input; the copy lets go of it before it runs the tool. There is one copy at a time, and
# none while anything that a call started is alive.


# What is called before there is a call.
TOOL = '''"""A tool."""
__version__ = "1.0.0"
CONFIG_SCHEMA = {"type": "object", "properties": {"a": {"type": "array", "items": {"minimum": 1}}}, "required": ["a"]}


def execute(params, project_path):
    """Nothing."""
    found = [str(item) for item in params["a"] if item]
    if not found:
        return {"success": False, "error": "nothing"}
    return {"success": True, "output": f"{len(found)}: " + ", ".join(found)}


if __name__ == "__main__":
    print(execute({}, ""))
'''


def main():
    import errno
    import gc
    import json
    import os
    import resource
    import select
    import signal
    import socket
    import types

    # Every page of it is a page for each copy: what few tools need is loaded where it is needed.
    for name in sys.argv[1:]:
        __import__(name)
    sys.dont_write_bytecode = True
    host = socket.socket(fileno=0)
    host.settimeout(None)
    # It kills all but itself; outside of a namespace of processes that would be everything of this user.
    if os.getpid() != 2 or os.getppid() != 1 or not hasattr(socket, "recv_fds"):
        host.sendall(b"cold")
        return
    try:
        import ctypes

        library = ctypes.CDLL(None, use_errno=True)
        prctl, info = library.prctl, (ctypes.c_int * 64)()
        SHM_INFO, SEM_INFO, MSG_INFO = 14, 19, 12
        # How many segments, sets and queues there are: what processes share that have no file in common.
        kept = (
            lambda: library.shmctl(0, SHM_INFO, info) and None or info[0],
            lambda: library.semctl(0, 0, SEM_INFO, info) and None or info[7],
            lambda: library.msgctl(0, MSG_INFO, info) and None or info[0],
        )
    except (ImportError, OSError, AttributeError):
        host.sendall(b"cold")
        return
    SUBREAPER, DUMPABLE, KILL, NOBODY = 36, 4, int(signal.SIGKILL), errno.ESRCH
    # Nobody looks into this process, and what a copy leaves behind falls to it.
    if prctl(SUBREAPER, 1, 0, 0, 0) != 0 or prctl(DUMPABLE, 0, 0, 0, 0) != 0:
        host.sendall(b"cold")
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    # What calls share besides the project: the private directories. A call that leaves a trace in them is the last one here.
    shared = []
    for top in ("/tmp", "/var/tmp", "/dev/shm", "/run"):
        try:
            device = os.stat(top).st_dev
        except OSError:
            continue
        for folder, below, _ in os.walk(top):
            try:
                is_inside = os.lstat(folder).st_dev == device
            except OSError:
                is_inside = False
            if is_inside:
                # How much room there is says each file system once.
                shared.append((folder, folder == top))
            else:
                below.clear()
            if len(shared) > 256:
                host.sendall(b"cold")
                return
    limits = [value for name, value in vars(resource).items() if name.startswith("RLIMIT_")]

    def traces():
        marks = []
        for folder, is_top in shared:
            try:
                status = os.lstat(folder)
                marks.append((status.st_ino, status.st_ctime_ns, status.st_mode))
                if is_top:
                    room = os.statvfs(folder)
                    marks.append((room.f_ffree, room.f_bfree))
            except OSError as error:
                marks.append(error.errno)
        for count in kept:
            info[0] = info[7] = 0
            marks.append(count())
        # What a process may change of another of its user.
        marks.append([resource.getrlimit(limit) for limit in limits])
        marks.append((os.sched_getaffinity(0), os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)))
        return marks

    def settle(env):
        """Makes these the variables; most of them are already."""
        for name in [name for name in os.environ if name not in env]:
            del os.environ[name]
        for name, value in env.items():
            if os.environ.get(name) != value:
                os.environ[name] = value

    def read(request):
        """All that comes of a pipe."""
        pieces = []
        while True:
            piece = os.read(request, 1 << 16)
            if not piece:
                return b"".join(pieces)
            pieces.append(piece)

    def rehearse():
        """Does what a call does, with a tool that does nothing. Most of the time of a call goes into the pages that a copy
        shares until it writes to them: in the copy that waits nobody waits for that."""
        asked = {"path": "", "project": "", "params": '{"a": [1, "b"]}', "source": TOOL, "modules": {}, "env": dict(os.environ)}
        words, null = sys.argv, os.open(os.devnull, os.O_RDWR)
        request, end = os.pipe()
        send(end, json.dumps(asked))
        os.close(end)
        asked = json.loads(str(read(request), "utf-8"))
        os.close(request)
        settle(asked["env"])
        beside(asked)
        send(null, called(asked))
        os.close(null)
        del sys.modules["toolglot_tool"]
        sys.argv = words

    def wait():
        """Waits for a call: its seconds, and where standard input, output and error, its request and its answer are."""
        prctl(DUMPABLE, 1, 0, 0, 0)
        os.setsid()
        null = os.open(os.devnull, os.O_RDONLY)
        if not select.select([host], [], [], 0)[0]:
            rehearse()
        message, fds, _, _ = socket.recv_fds(host, 64, 4)
        request, answer, out, err = fds
        return int(message), (null, out, err), request, answer

    def serve(cpu, standard, request, answer):
        for number, fd in enumerate(standard):
            os.dup2(fd, number)
        asked = read(request)
        # Programs that the tool starts do not get it.
        if answer != 3:
            os.dup2(answer, 3, False)
        os.closerange(4, 256)
        most = resource.getrlimit(resource.RLIMIT_CPU)[1]
        cpu = cpu if most == resource.RLIM_INFINITY else min(cpu, most)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
        asked = json.loads(str(asked, "utf-8"))
        settle(asked["env"])
        try:
            os.chdir(asked["project"])
        except OSError:
            pass
        beside(asked)
        own = os.getpid()
        told = called(asked)
        if os.getpid() != own:
            # A copy that the tool made of itself came back as well.
            os._exit(0)
        send(3, told)
        try:
            sys.stderr.flush()
        finally:
            # Threads that the tool left behind do not hold its answer up.
            os._exit(0)

    def sweep():
        left = 0
        while True:
            # Mostly there is nobody, which would be an exception to Python.
            if library.kill(-1, KILL) != 0:
                if ctypes.get_errno() == NOBODY:
                    return left
                raise OSError(ctypes.get_errno(), "processes are left that cannot be killed")
            try:
                while True:
                    os.waitpid(-1, 0)
                    left += 1
            except ChildProcessError:
                pass

    # An interpreter learns what it runs often; what it learned here no copy has to learn.
    for _ in range(16):
        rehearse()
        traces()
    gc.collect()
    # The copies share these objects with this process as long as nobody walks through them.
    gc.freeze()
    before = traces()
    host.sendall(b"ready")
    while True:
        child = os.fork()
        if child == 0:
            call = None
            try:
                call = wait()
            finally:
                if call is None:
                    os.kill(os.getpid(), signal.SIGKILL)
            try:
                serve(*call)
            finally:
                os._exit(70)
        _, status = os.waitpid(child, 0)
        left = sweep()
        try:
            # The call is over; whether another may follow is looked at while its answer is read.
            host.sendall(b"%d %d" % (status, left))
            # A copy that was killed may never have heard of its call, which is there yet: the next copy would take it.
            if os.WIFSIGNALED(status) or before != traces():
                return
            host.sendall(b"clean")
        except OSError:
            return


main()
