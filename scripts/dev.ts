// npm run dev: runs the service, which restarts after each change, behind Vite, which reloads the pages. Both
// have one origin, BASE_URL, so that cookies and passkeys work as in production.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createServer } from 'vite'

const root = join(import.meta.dirname, '..')
const port = Number(process.env.PORT || 3000)
const servicePort = port + 1
const baseUrl = `http://localhost:${port}`

const vite = await createServer({
  configFile: join(root, 'web/vite.config.ts'),
  logLevel: 'warn',
  server: {
    host: 'localhost',
    port,
    strictPort: true,
    proxy: {
      '^/(api/|brand/|brand\\.css|invite/|dev/mailbox/emails|healthz|readyz|\\.well-known/)': {
        target: `http://localhost:${servicePort}`,
        bypass: ({ url = '' }) => (url.startsWith('/api/auth/reference') ? '/index.html' : undefined),
      },
    },
  },
})
await vite.listen()

const watching = ['--watch-path=server', '--watch-preserve-output']
const service = spawn(process.execPath, [...watching, 'server/main.mjs', 'start'], {
  cwd: root,
  env: { ...process.env, BASE_URL: baseUrl, HOST: 'localhost', PORT: String(servicePort) },
  stdio: 'inherit',
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => service.kill(signal))
await once(service, 'exit')
await vite.close()
