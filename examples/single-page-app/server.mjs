import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

const { ACCOUNTS_URL = 'http://localhost:3000', CLIENT_ID, PORT = '4000' } = process.env
const script = (path) => ({ type: 'text/javascript', content: readFileSync(path) })
const document = readFileSync(new URL('index.html', import.meta.url), 'utf8')
const page = {
  type: 'text/html; charset=utf-8',
  content: document.replace('{ACCOUNTS_URL}', ACCOUNTS_URL).replace('{CLIENT_ID}', CLIENT_ID),
}
const files = {
  '/': page,
  '/callback': page,
  '/application.mjs': script(new URL('application.mjs', import.meta.url)),
  // A bundler finds the library by its name instead.
  '/oauth4webapi.mjs': script(fileURLToPath(import.meta.resolve('oauth4webapi'))),
}
// A script that is injected into the page could use its tokens. This header keeps foreign scripts out.
const policy = `default-src 'none'; script-src 'self'; connect-src ${ACCOUNTS_URL}; base-uri 'none'; frame-ancestors 'none'`

createServer((request, response) => {
  const file = files[new URL(request.url, 'http://localhost').pathname]
  if (!file) return response.writeHead(404).end()
  response.writeHead(200, { 'content-type': file.type, 'content-security-policy': policy }).end(file.content)
}).listen(Number(PORT), () => console.log(`ready at http://localhost:${PORT}`))
