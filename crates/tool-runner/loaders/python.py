# Runs one tool and ends: the request comes on standard input, the answer goes to where standard output led at the start.


def main():
    import json
    import os
    import threading
    import types

    sys.dont_write_bytecode = True
    request = json.loads(sys.stdin.buffer.read())
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    path, project = request["path"], request["project"]
    try:
        os.chdir(project)
    except OSError:
        pass
    beside(request)

    if request["mode"] == "program":
        # Set here, since no argument of a program may be as long as a parameter.
        sys.argv = [path, "--params", request["params"], "--project-path", project]
        module = types.ModuleType("__main__")
        module.__file__ = path
        module.__builtins__ = __builtins__
        sys.modules["__main__"] = module
        exec(compile(request["source"], path, "exec"), module.__dict__)
        return

    # The tool's own prints go elsewhere: the answer has a pipe of its own. Programs that it starts do not get it.
    channel = os.dup(1)
    out_read, out_write = os.pipe()
    os.dup2(out_write, 1)
    os.close(out_write)
    printed, limit = bytearray(), request["printed_bytes"]

    def drain():
        while True:
            try:
                piece = os.read(out_read, 65536)
            except OSError:
                return
            if not piece:
                return
            printed.extend(piece[: max(0, limit - len(printed))])

    drainer = threading.Thread(target=drain, daemon=True)
    drainer.start()
    own = os.getpid()
    answer = called(request)
    if os.getpid() != own:
        # A copy that the tool made of itself came back as well.
        os._exit(0)
    os.dup2(null, 1)
    drainer.join(0.2)
    said = json.dumps(bytes(printed).decode("utf-8", "replace"))
    send(channel, f'{request["nonce"]}{answer[:-1]}, "printed": {said}}}')
    try:
        sys.stderr.flush()
    finally:
        # Threads that the tool left behind do not hold its answer up.
        os._exit(0)


main()
