// Runs in the browser, bundled by `buildPasskeyPage`: the official client, unmodified, for tests to call.
import { passkeyClient } from '@better-auth/passkey/client'
import { createAuthClient } from 'better-auth/client'

Object.assign(globalThis, { client: createAuthClient({ plugins: [passkeyClient()] }) })
