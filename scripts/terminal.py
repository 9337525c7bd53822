"""Runs a program on a pseudo-terminal: stdin is typed, and what appears on the screen is printed."""
import fcntl, os, pty, select, struct, sys, termios

rows, columns = int(sys.argv[1]), int(sys.argv[2])
child, screen = pty.fork()
if child == 0:
    # Before the program starts, which reads the size once.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
keys = [0]
while True:
    ready, _, _ = select.select([screen, *keys], [], [])
    if screen in ready:
        try:
            shown = os.read(screen, 65536)
        except OSError:
            break
        if not shown:
            break
        os.write(1, shown)
    if 0 in ready:
        typed = os.read(0, 65536)
        if typed:
            os.write(screen, typed)
        else:
            keys = []
_, status = os.waitpid(child, 0)
code = os.waitstatus_to_exitcode(status)
sys.exit(code if code >= 0 else 128 - code)
