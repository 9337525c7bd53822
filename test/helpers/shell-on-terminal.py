"""Types lines into an interactive shell on a pseudo-terminal, and prints what its commands were called with.

argv: shell, command that loads the completion. stdin: JSON, the lines as they are typed. stdout: JSON, for each line the
arguments of its command, or null.
"""
import fcntl, json, os, pty, re, select, struct, sys, termios, time

shell, load = sys.argv[1], sys.argv[2]
lines = json.load(sys.stdin)
argv = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}[shell]
show = {
    "bash": "comem() { printf '@@%s' \"$@\"; printf '@@end\\n'; }",
    "zsh": "comem() { printf '@@%s' \"$@\"; printf '@@end\\n'; }",
    "fish": "function comem; printf '@@%s' $argv; printf '@@end\\n'; end",
}[shell]
pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(TERM="dumb" if shell != "fish" else "xterm", PS1="$ ", COLUMNS="300", LINES="50")
    os.execvp(argv[0], argv)


def until(pattern, seconds=40):
    seen, end = "", time.time() + seconds
    while time.time() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                seen += os.read(terminal, 65536).decode("utf8", "replace")
            except OSError:
                break
            if re.search(pattern, seen):
                return seen
    return seen


def run(line, wait):
    os.write(terminal, line.encode() + b"\r")
    return until(wait)


fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 300, 0, 0))
run(f"{load}; {show}; echo rea''dy", r"ready")
answers = []
for line in lines:
    seen = run(line, r"@@end\r?\n")
    found = re.search(r"(?:@@(?!end).*?)*@@end\r?\n", seen, re.S)
    calls = re.findall(r"@@(?!end)(.*?)(?=@@)", found.group(0), re.S) if found else None
    answers.append(calls)
print(json.dumps(answers))
os.close(terminal)
os.kill(pid, 9)
