# Runs one tool: the request comes on standard input, the answer goes to where standard output led at the start.
# The text that is run is that of the request, never that of a file: what was verified is what runs.
import sys


def main():
    import asyncio
    import importlib.machinery
    import inspect
    import json
    import os
    import threading
    import traceback
    import types

    sys.dont_write_bytecode = True
    request = json.loads(sys.stdin.buffer.read())
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    path, project, mode = request["path"], request["project"], request["mode"]
    try:
        os.chdir(project)
    except OSError:
        pass

    # Files beside the tool that were verified with it; no directory is searched for others.
    class Beside:
        def __init__(self, module):
            self.module = module

        @staticmethod
        def find_spec(name, path=None, target=None):
            module = request["modules"].get(name)
            if module is None:
                return None
            return importlib.machinery.ModuleSpec(name, Beside(module), origin=module["path"])

        def create_module(self, spec):
            return None

        def exec_module(self, module):
            module.__file__ = self.module["path"]
            exec(compile(self.module["source"], self.module["path"], "exec"), module.__dict__)

    sys.meta_path.append(Beside)

    if mode == "program":
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

    answer = {}
    try:
        module = types.ModuleType("toolglot_tool")
        module.__file__ = path
        sys.modules["toolglot_tool"] = module
        sys.argv = [path]
        exec(compile(request["source"], path, "exec"), module.__dict__)
        result = module.execute(json.loads(request["params"]), project)
        if inspect.isawaitable(result):
            async def wait():
                return await result

            result = asyncio.run(wait())
        try:
            answer = {"result": result}
            json.dumps(answer, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            answer = {"raised": f"what it returned is no JSON: {error}"}
    except SystemExit as error:
        answer = {"raised": f"it ended the program with {error.code!r}"}
    except BaseException as error:
        where = traceback.format_exc(limit=20)
        answer = {"raised": f"{type(error).__name__}: {error}", "traceback": where[-4000:]}
    try:
        sys.stdout.flush()
    except Exception:
        pass
    os.dup2(null, 1)
    drainer.join(0.2)
    answer["printed"] = bytes(printed).decode("utf-8", "replace")
    data = memoryview((request["nonce"] + json.dumps(answer, allow_nan=False)).encode("utf-8", "replace"))
    while data:
        data = data[os.write(channel, data):]
    try:
        sys.stderr.flush()
    finally:
        # Threads that the tool left behind do not hold its answer up.
        os._exit(0)


main()
