import type { OAuthClient } from './clients.ts'

const SIGN_IN = ['authorization_code', 'refresh_token']
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'

type Kind = { label: string; meaning: string; redirectHint?: string; metadata: object }

/** What users connect, with the metadata that follows from it. */
export const KINDS = {
  server: {
    label: 'Website with a server',
    meaning: 'Its server keeps a secret: Grafana, GitLab, a website of your own.',
    redirectHint: 'Where the browser goes after the sign-in, one address a line. The app’s documentation names it.',
    metadata: { token_endpoint_auth_method: 'client_secret_basic', grant_types: SIGN_IN },
  },
  browser: {
    label: 'Website without a server',
    meaning: 'It runs in the browser alone and can keep no secret.',
    redirectHint: 'The page that the browser returns to after the sign-in, one address a line.',
    metadata: { token_endpoint_auth_method: 'none', grant_types: SIGN_IN },
  },
  device: {
    label: 'Program, mobile app or device',
    meaning: 'It runs at its users and can keep no secret: a command line, a mobile app, a television.',
    redirectHint: 'One address a line, such as http://127.0.0.1/callback or com.example.app:/callback.',
    metadata: {
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      grant_types: [...SIGN_IN, DEVICE_CODE],
    },
  },
  machine: {
    label: 'Machine',
    meaning: 'A program that acts for itself, without users.',
    metadata: { token_endpoint_auth_method: 'client_secret_basic', grant_types: ['client_credentials'] },
  },
} satisfies Record<string, Kind>

export type KindName = keyof typeof KINDS

/** The kind that fits best. An app that was not created on these pages may fit no kind exactly. */
export function kindOf(client: OAuthClient): KindName {
  const { grant_types, application_type, token_endpoint_auth_method } = client
  if (!grant_types.includes('authorization_code') && !isProgram(client)) return 'machine'
  if (token_endpoint_auth_method !== 'none') return 'server'
  if (isProgram(client)) return 'device'
  return application_type === 'native' && !isTestedWebsite(client) ? 'device' : 'browser'
}

/** A developer tests it with http, which makes it native. An app that registered itself is a program more often. */
function isTestedWebsite({ redirect_uris, post_logout_redirect_uris, user_id }: OAuthClient): boolean {
  const addresses = [...redirect_uris, ...post_logout_redirect_uris]
  return user_id !== undefined && addresses.some((address) => address.startsWith('http://'))
}

/** A program or a mobile app stays native, whatever its addresses are. */
export function isProgram({ grant_types }: OAuthClient): boolean {
  return grant_types.includes(DEVICE_CODE)
}

/** Undefined for machines, because no browser returns to a machine. */
export function redirectHintOf(kind: KindName): string | undefined {
  const { redirectHint }: Kind = KINDS[kind]
  return redirectHint
}
