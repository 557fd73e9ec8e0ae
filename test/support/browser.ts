import { constants } from 'node:os'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium } from './chromium.ts'

export type AuthenticatorOptions = {
  /** Built into the device, or a key that is plugged in. */
  transport?: 'internal' | 'usb'
  /** Whether it can keep passkeys that need no user name. */
  hasResidentKey?: boolean
  /** Whether it can verify its user, by a fingerprint or the like. */
  hasUserVerification?: boolean
  /** Whether its user passes that verification. */
  isUserVerified?: boolean
}

export type VirtualAuthenticator = {
  credentials(): Promise<{ credentialId: string; rpId?: string; signCount: number }[]>
  setUserVerified(isUserVerified: boolean): Promise<void>
  /** Whether it answers at once, as at first, or waits for its user until told that they are there. */
  setUserPresent(isUserPresent: boolean): Promise<void>
  remove(): Promise<void>
}

// The browser must talk to nobody but the pages under test.
const quietArguments = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

// Playwright would close the browser and stay. It cleans up on any exit, so an exit is what a signal should bring.
function endOnTerminate(): never {
  process.exit(128 + constants.signals.SIGTERM)
}

/** A headless Chromium. Whoever launches it closes it. */
export async function launchBrowser(): Promise<Browser> {
  const { executablePath, environment } = await findChromium()
  process.once('SIGTERM', endOnTerminate)
  return chromium.launch({
    executablePath,
    handleSIGTERM: false,
    args: quietArguments,
    chromiumSandbox: false,
    env: { ...process.env, ...environment },
  })
}

/** A passkey device that answers this page at once, as if its user touched it. */
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
