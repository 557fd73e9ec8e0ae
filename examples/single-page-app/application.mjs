import * as oauth from '/oauth4webapi.mjs'

const main = document.querySelector('main')
const issuer = new URL(document.documentElement.dataset.accounts)
const client = { client_id: document.documentElement.dataset.client }
const redirectUri = `${location.origin}/callback`
const options = { [oauth.allowInsecureRequests]: issuer.protocol === 'http:' }
/** The metadata of Accounts: its endpoints and keys. */
let accounts

/** Leaves for Accounts. A user who is signed in there, and has allowed it, comes back without seeing a page. */
async function signIn() {
  const checks = {
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
  }
  sessionStorage.setItem('checks', JSON.stringify(checks))
  const url = new URL(accounts.authorization_endpoint)
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid profile email',
    code_challenge: await oauth.calculatePKCECodeChallenge(checks.verifier),
    code_challenge_method: 'S256',
    state: checks.state,
    nonce: checks.nonce,
  }).toString()
  location.assign(url)
}

/** The user has come back with a code. @returns the tokens, which stay in memory only */
async function finishSignIn() {
  const { verifier, state, nonce } = JSON.parse(sessionStorage.getItem('checks') ?? '{}')
  sessionStorage.removeItem('checks')
  const parameters = oauth.validateAuthResponse(accounts, client, new URL(location.href), state)
  history.replaceState(null, '', '/')
  const response = await oauth.authorizationCodeGrantRequest(
    accounts,
    client,
    oauth.None(),
    parameters,
    redirectUri,
    verifier,
    options,
  )
  return oauth.processAuthorizationCodeResponse(accounts, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
}

async function readProfile(tokens) {
  const response = await oauth.userInfoRequest(accounts, client, tokens.access_token, options)
  return oauth.processUserInfoResponse(accounts, client, oauth.getValidatedIdTokenClaims(tokens).sub, response)
}

function signOut(tokens) {
  const url = new URL(accounts.end_session_endpoint)
  url.searchParams.set('id_token_hint', tokens.id_token)
  url.searchParams.set('post_logout_redirect_uri', `${location.origin}/`)
  location.assign(url)
}

function show(text, label, onclick) {
  const line = Object.assign(document.createElement('p'), { textContent: text })
  main.replaceChildren(line, Object.assign(document.createElement('button'), { textContent: label, onclick }))
}

async function start() {
  accounts = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options))
  if (location.pathname !== '/callback') return show('You are signed out.', 'Sign in', signIn)
  const tokens = await finishSignIn()
  const { name, email } = await readProfile(tokens)
  show(`Hello ${name}, ${email}.`, 'Sign out', () => signOut(tokens))
}

start().catch((error) => show(error.message, 'Try again', () => location.assign('/')))
