import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'
import type { Service } from './service.ts'

const PAGE = `<!doctype html><title>Passkeys</title><script type="module" src="/test-passkeys.js"></script>
<label>Email <input id="email" autocomplete="username webauthn"></label>`

/** The script of the test page, in memory. */
export async function buildPasskeyPage(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      modulePreload: { polyfill: false },
      rollupOptions: { input: join(import.meta.dirname, 'passkey-page.ts'), output: { codeSplitting: false } },
    },
  })
  const [output] = Array.isArray(built) ? built : [built]
  const chunk = output && 'output' in output ? output.output.find(({ type }) => type === 'chunk') : undefined
  if (chunk?.type !== 'chunk') throw new Error('The test page was not built')
  return chunk.code
}

/** The result of the official client. The fields depend on the call. */
export interface ClientAnswer {
  data: {
    name?: string
    transports?: string
    credentialID?: string
    status?: boolean
    user?: { id: string; email: string; name: string; emailVerified: boolean }
    passkey?: { name: string }
  } | null
  error: { code?: string; status: number } | null
}

export interface PasskeyPage {
  page: Page
  /** Evaluates an expression with the official client as `client`. It is a string, because the types of the tests have no DOM. */
  run<T = ClientAnswer>(expression: string): Promise<T>
  /** Violations of the content security policy. */
  violations: string[]
  close(): Promise<void>
}

/** A page on the origin of the service, with its content security policy, in a new browser context. */
export async function openPasskeyPage(browser: Browser, service: Service, script: string): Promise<PasskeyPage> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const violations: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) violations.push(message.text())
  })
  const { headers } = await fetch(`${service.baseUrl}/api/auth/ok`)
  const policy = { 'content-security-policy': headers.get('content-security-policy') ?? '' }
  await page.route('**/test-passkeys.html', (route) =>
    route.fulfill({ body: PAGE, contentType: 'text/html', headers: policy }),
  )
  await page.route('**/test-passkeys.js', (route) =>
    route.fulfill({ body: script, contentType: 'text/javascript', headers: policy }),
  )
  await page.goto(`${service.baseUrl}/test-passkeys.html`)
  return {
    page,
    run: (expression) => page.evaluate(`(async () => ${expression})()`),
    violations,
    close: () => context.close(),
  }
}
