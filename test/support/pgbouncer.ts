import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getFreePort } from './free-port.ts'
import { until } from './until.ts'

export interface PgBouncer {
  port: number
  /** Ends the process as a crash does. */
  kill(): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find((path) =>
  existsSync(path),
)

/** The reason to skip a test, or false when PgBouncer is installed. */
export const PGBOUNCER_IS_MISSING = PROGRAM === undefined && 'PgBouncer is not installed: apt-get install pgbouncer'

/** The settings of docs/high-availability.md, and those of this test. */
const settingsOf = (port: number, serverPort: number) => `
[databases]
* = host=127.0.0.1 port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = users.txt
pool_mode = transaction
max_client_conn = 1000
default_pool_size = 20
ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout
server_login_retry = 1
server_connect_timeout = 2
query_wait_timeout = 2
`

/** Starts a real PgBouncer in transaction mode. It signs in to PostgreSQL as this user. */
export async function startPgBouncer(serverPort: number, user: string, password: string): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'accounts-pgbouncer-'))
  const port = await getFreePort()
  writeFileSync(join(folder, 'pgbouncer.ini'), settingsOf(port, serverPort))
  writeFileSync(join(folder, 'users.txt'), `"${user}" "${password}"\n`)
  const owner = findOwner()
  chmodSync(folder, 0o755)
  if (owner) for (const file of ['', 'pgbouncer.ini', 'users.txt']) chownSync(join(folder, file), owner.uid, owner.gid)
  let child: ChildProcess
  const start = async () => {
    child = spawn(PROGRAM ?? '', ['-q', 'pgbouncer.ini'], { ...owner, cwd: folder, stdio: 'ignore' })
    await until(() => accepts(port), 'PgBouncer accepts connections')
  }
  const kill = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  await start()
  return {
    port,
    kill,
    restart: start,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** PgBouncer refuses to run as root. */
function findOwner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'nobody'])))
  return { uid: uid ?? 0, gid: gid ?? 0 }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
