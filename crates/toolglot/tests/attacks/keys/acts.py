import os, socket, subprocess, time


def text(name):
    with open(name) as file:
        return file.read().strip()


def act(what):
    """Exceeds one setting of a sandbox. What is to be seen of it."""
    if what == "little":
        return "LITTLE"
    if what == "see":
        return "SEEN" if os.path.isdir("/proc/" + text("pid")) else "nothing"
    if what == "connect":
        with socket.create_connection(("127.0.0.1", int(text("port"))), 2) as stream:
            stream.sendall(b"GET / HTTP/1.0\r\n\r\n")
            return stream.recv(1000).decode()
    if what == "read":
        return text(text("where"))
    if what == "env":
        return repr(dict(os.environ))
    if what == "print":
        return "x" * 200000
    if what == "write":
        done("outside")
    elif what == "sleep":
        time.sleep(9)
        done("out/done")
    elif what == "allocate":
        kept = bytearray(700000000)
        kept[::4096] = b"x" * len(kept[::4096])
        done("out/done")
    elif what == "fork":
        alive = []
        try:
            for _ in range(60):
                alive.append(subprocess.Popen(["sleep", "3"]))
        except OSError:
            pass
        done("out/count", str(len(alive)))
    elif what == "grow":
        done("out/big", "x" * 3000000)
    else:
        raise ValueError("no such act: " + what)
    return "done"


def done(name, content="x"):
    with open(name, "w") as file:
        file.write(content)
