import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * `black hole` drops all bytes, on open connections for ever, like a firewall that lost its state. `paused` delays
 * bytes until `open`.
 */
type Mode = 'open' | 'black hole' | 'paused'

export interface DatabaseProxy {
  /** The URL of the database through the proxy. */
  url: string
  set(mode: Mode): void
  /** Closes all connections, and new ones immediately, until `set`. */
  cut(): void
  /** Drops the answer to the COMMIT of the next transaction with this statement, and all later answers. */
  loseCommitAfter(statement: string): void
  close(): Promise<void>
}

/** The message with the id of the server process, in its first bytes: type and length. The id follows. */
const BACKEND_KEY_DATA = Buffer.from('K\0\0\0\x0c')

/** The parameter that a server reports if its transactions are read-only by default. */
const READ_ONLY_REPORT = Buffer.from('default_transaction_read_only\0on\0')

/**
 * Simulates network failures between a service and PostgreSQL.
 * @param options `reportsOwnProcessId`: the proxy sends its own process id, like a pooler in transaction mode.
 *   `hidesReadOnly`: like a pooler whose first server was not read-only
 */
export async function startDatabaseProxy(
  databaseUrl: string,
  { reportsOwnProcessId = false, hidesReadOnly = false } = {},
): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const held: (() => void)[] = []
  const dropped = new Set<Socket>()
  let mode: Mode | 'cut' = 'open'
  let awaited: string | undefined

  const server = createServer((client) => {
    if (mode === 'cut') return client.destroy()
    const database = connect(Number(target.port), target.hostname)
    let isMarked = false
    let isMute = false
    if (reportsOwnProcessId) database.on('data', changeProcessId)
    if (hidesReadOnly) database.on('data', renameReadOnlyReport)
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('data', (bytes) => {
        if (from === client && awaited !== undefined && bytes.includes(awaited)) {
          awaited = undefined
          isMarked = true
        }
        if (from === client && isMarked && bytes.includes('commit')) isMute = true
        if (mode === 'black hole' || dropped.has(from) || (isMute && from === database)) return
        if (mode === 'paused') held.push(() => to.write(bytes))
        else to.write(bytes)
      })
      from.on('close', () => {
        sockets.delete(from)
        // A black hole also drops the end of a connection.
        if (mode === 'open' && !isMute && !dropped.has(from)) to.destroy()
        else held.push(() => to.destroy())
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    url: Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href,
    set(next) {
      mode = next
      if (next === 'black hole') for (const socket of sockets) dropped.add(socket)
      if (next === 'open') for (const deliver of held.splice(0)) deliver()
    },
    cut() {
      mode = 'cut'
      for (const socket of sockets) socket.destroy()
    },
    loseCommitAfter(statement) {
      awaited = statement
    },
    async close() {
      // Without it, a connection that is accepted at this moment would keep the proxy open.
      mode = 'cut'
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function changeProcessId(bytes: Buffer): void {
  const at = bytes.indexOf(BACKEND_KEY_DATA)
  if (at >= 0) bytes.writeInt32BE(process.pid, at + BACKEND_KEY_DATA.length)
}

function renameReadOnlyReport(bytes: Buffer): void {
  const at = bytes.indexOf(READ_ONLY_REPORT)
  if (at >= 0) bytes.write('x', at)
}
