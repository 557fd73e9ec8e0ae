import * as openid from 'openid-client'

const { ACCOUNTS_URL = 'http://localhost:3000', CLIENT_ID } = process.env
const accounts = await openid.discovery(new URL(ACCOUNTS_URL), CLIENT_ID, undefined, openid.None(), {
  execute: ACCOUNTS_URL.startsWith('http://localhost') ? [openid.allowInsecureRequests] : [],
})
const device = await openid.initiateDeviceAuthorization(accounts, { scope: 'openid profile offline_access' })
console.log(`Open ${device.verification_uri_complete} and compare the code ${device.user_code}`)

/** The library asks every few seconds, until the user has answered or the code has expired. */
const tokens = await openid.pollDeviceAuthorizationGrant(accounts, device)
console.log(`Hello ${tokens.claims().name}.`)
