import { constants } from 'node:os'
import { type Browser, chromium, type Page } from 'playwright-core'
import { prepareChromium } from './chromium.ts'

export type AuthenticatorOptions = {
  /** `internal` is built into the device, `usb` is a security key. */
  transport?: 'internal' | 'usb'
  /** Whether it can store discoverable credentials. */
  hasResidentKey?: boolean
  /** Whether it can verify its user, for example by a fingerprint. */
  hasUserVerification?: boolean
  /** Whether its user passes that verification. */
  isUserVerified?: boolean
}

export type VirtualAuthenticator = {
  credentials(): Promise<{ credentialId: string; rpId?: string; signCount: number }[]>
  setUserVerified(isUserVerified: boolean): Promise<void>
  /** With `true`, the default, the authenticator responds immediately. With `false` it waits for its user. */
  setUserPresent(isUserPresent: boolean): Promise<void>
  remove(): Promise<void>
}

// The browser must connect to the pages under test only.
const quietArguments = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

// Playwright closes the browser on SIGTERM, but the process goes on. An exit closes the browser too.
function endOnTerminate(): never {
  process.exit(128 + constants.signals.SIGTERM)
}

/** A headless Chromium. The caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  const { executablePath, environment } = await prepareChromium()
  process.once('SIGTERM', endOnTerminate)
  return chromium.launch({
    executablePath,
    handleSIGTERM: false,
    args: quietArguments,
    chromiumSandbox: false,
    env: { ...process.env, ...environment },
  })
}

let shared: Promise<Browser> | undefined
let borrowers = 0
const IDLE_MILLISECONDS = 200

/** The browser of this test process: a start takes a second of CPU time. The caller returns it. */
export async function borrowBrowser(): Promise<Browser> {
  shared ??= launchBrowser()
  const launched = shared
  borrowers += 1
  try {
    return await launched
  } catch (error) {
    borrowers -= 1
    // The next suite starts another browser.
    if (shared === launched) shared = undefined
    throw error
  }
}

/** The last suite of a process is not known. The browser closes when no other suite borrows it for a moment. */
export function returnBrowser(): void {
  borrowers -= 1
  setTimeout(() => {
    if (borrowers > 0) return
    void shared?.then((browser) => browser.close())
    shared = undefined
  }, IDLE_MILLISECONDS)
}

/** An authenticator that responds to this page immediately, as if its user touched it. */
export async function newVirtualAuthenticator(
  page: Page,
  options: AuthenticatorOptions = {},
): Promise<VirtualAuthenticator> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: options.transport ?? 'internal',
      hasResidentKey: options.hasResidentKey ?? true,
      hasUserVerification: options.hasUserVerification ?? true,
      isUserVerified: options.isUserVerified ?? true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    credentials: async () => (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    setUserVerified: async (isUserVerified) => {
      await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
    setUserPresent: async (enabled) => {
      await devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
    },
    remove: () => devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId }).then(() => {}),
  }
}
