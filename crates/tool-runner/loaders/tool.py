# What every way of running a Python tool shares. The text that is run is that of the request, never that of a file: what was
# verified is what runs.
import sys


def beside(request):
    """Lets the tool import the files beside it that were verified with it; no directory is searched for others."""
    modules = request["modules"]
    if not modules:
        return
    import importlib.machinery

    class Beside:
        def __init__(self, module):
            self.module = module

        @staticmethod
        def find_spec(name, path=None, target=None):
            module = modules.get(name)
            if module is None:
                return None
            return importlib.machinery.ModuleSpec(name, Beside(module), origin=module["path"])

        def create_module(self, spec):
            return None

        def exec_module(self, module):
            module.__file__ = self.module["path"]
            exec(compile(self.module["source"], self.module["path"], "exec"), module.__dict__)

    sys.meta_path.append(Beside)


def called(request):
    """Calls the tool's function. What came of it, its result or what it raised, as a JSON object that is not empty."""
    import json
    import types

    path, project = request["path"], request["project"]
    try:
        module = types.ModuleType("toolglot_tool")
        module.__file__ = path
        sys.modules["toolglot_tool"] = module
        sys.argv = [path]
        exec(compile(request["source"], path, "exec"), module.__dict__)
        result = module.execute(json.loads(request["params"]), project)
        if hasattr(result, "__await__"):
            import asyncio

            async def wait():
                return await result

            result = asyncio.run(wait())
        try:
            answer = json.dumps({"result": result}, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            answer = json.dumps({"raised": f"what it returned is no JSON: {error}"})
    except SystemExit as error:
        answer = json.dumps({"raised": f"it ended the program with {error.code!r}"})
    except BaseException as error:
        import traceback

        where = traceback.format_exc(limit=20)
        answer = json.dumps({"raised": f"{type(error).__name__}: {error}", "traceback": where[-4000:]})
    try:
        sys.stdout.flush()
    except Exception:
        pass
    return answer


def send(channel, text):
    """Writes all of a text to a descriptor."""
    import os

    data = memoryview(text.encode("utf-8", "replace"))
    while data:
        data = data[os.write(channel, data):]
