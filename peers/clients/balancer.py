"""A plain balancer of connections: each goes to the next server, byte for byte. `balancer.py URL..` prints its port."""

import asyncio
import itertools
import sys
from urllib.parse import urlsplit


async def pump(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


async def main(urls):
    servers = itertools.cycle([(url.hostname, url.port) for url in map(urlsplit, urls)])

    async def connected(reader, writer):
        to_server = await asyncio.open_connection(*next(servers))
        await asyncio.gather(pump(reader, to_server[1]), pump(to_server[0], writer))

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main(sys.argv[1:]))
