#!/usr/bin/env bash
# Exceeds one setting of a sandbox.
#
# tool_id: shell
# tool_type: script
# version: "1.0.0"
# executor_id: rye/core/runtimes/bash/bash
# category: keys
# description: Exceeds one setting of a sandbox
# requires: [fs.write, net.http]
# parameters:
#   - name: what
#     type: string
#     required: true
#     description: What to do

# A command has no parameters: it is given the word itself.
what=${TOOLGLOT_PARAM_what:-$1}
case $what in
little) echo LITTLE ;;
see) test -d "/proc/$(cat pid)" && echo SEEN ;;
connect) (exec 3<>"/dev/tcp/127.0.0.1/$(cat port)" && printf 'GET / HTTP/1.0\r\n\r\n' >&3 && cat <&3) ;;
read) cat "$(cat where)" ;;
write) echo x >outside ;;
env) env ;;
sleep) sleep 9 && echo x >out/done ;;
print) head -c 200000 /dev/zero | tr '\0' x ;;
allocate) head -c 700000000 /dev/zero | tail -c 700000000 >/dev/null && echo x >out/done ;;
fork)
    for _ in $(seq 60); do sleep 3 & done
    jobs -r | wc -l >out/count
    ;;
grow) head -c 3000000 /dev/zero >out/big ;;
*) echo "no such act: $what" >&2 && exit 1 ;;
esac
