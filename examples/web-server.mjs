import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as openid from 'openid-client'

const { ACCOUNTS_URL = 'http://localhost:3000', SITE_URL = 'http://localhost:4000' } = process.env
const { CLIENT_ID, CLIENT_SECRET, PORT = new URL(SITE_URL).port } = process.env
const isLocal = ACCOUNTS_URL.startsWith('http://localhost')
const accounts = await openid.discovery(
  new URL(ACCOUNTS_URL),
  CLIENT_ID,
  { client_secret: CLIENT_SECRET },
  openid.ClientSecretBasic(CLIENT_SECRET),
  { execute: isLocal ? [openid.allowInsecureRequests] : [] },
)
const keys = createRemoteJWKSet(new URL(accounts.serverMetadata().jwks_uri), { cacheMaxAge: 300_000 })
/** By the value of our own cookie. A real website stores them in its database. */
const sessions = new Map()

async function startSignIn(session) {
  const verifier = openid.randomPKCECodeVerifier()
  session.checks = {
    pkceCodeVerifier: verifier,
    expectedState: openid.randomState(),
    expectedNonce: openid.randomNonce(),
  }
  return openid.buildAuthorizationUrl(accounts, {
    redirect_uri: `${SITE_URL}/callback`,
    scope: 'openid profile email offline_access',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state: session.checks.expectedState,
    nonce: session.checks.expectedNonce,
  })
}

function saveTokens(session, tokens) {
  session.accessToken = tokens.access_token
  session.refreshToken = tokens.refresh_token
  session.idToken = tokens.id_token ?? session.idToken
}

/** An access token is valid for 15 minutes, so a refused one is replaced once. */
async function readProfile(session) {
  const read = () => openid.fetchUserInfo(accounts, session.accessToken, session.user.sub)
  try {
    return await read()
  } catch (error) {
    if (!isRefused(error) || !session.refreshToken) throw error
    await refresh(session)
    return read()
  }
}

/** Concurrent requests share one refresh, because a refresh token works once. */
async function refresh(session) {
  session.refreshing ??= openid.refreshTokenGrant(accounts, session.refreshToken).finally(() => {
    session.refreshing = undefined
  })
  saveTokens(session, await session.refreshing)
}

/** Accounts calls this when the session of the user ends, at this website or elsewhere. */
async function endSessions(body) {
  const { payload } = await jwtVerify(new URLSearchParams(body).get('logout_token') ?? '', keys, {
    issuer: accounts.serverMetadata().issuer,
    audience: CLIENT_ID,
    typ: 'logout+jwt',
    algorithms: ['RS256'],
    requiredClaims: ['iat', 'exp', 'jti', 'sid'],
  })
  if (!payload.events?.['http://schemas.openid.net/event/backchannel-logout'] || 'nonce' in payload)
    throw new Error('This is no logout token')
  for (const [id, { user }] of sessions) if (user?.sid === payload.sid) sessions.delete(id)
}

/** The access token is refused. */
const isRefused = (error) => error instanceof openid.WWWAuthenticateChallengeError
/** Also the refresh token is refused after the session of the user has ended at Accounts. */
const isSignedOut = (error) => isRefused(error) || error.error === 'invalid_grant'

async function answer(request, response) {
  const redirect = (url, headers = {}) => response.writeHead(303, { location: String(url), ...headers }).end()
  const page = (html) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
  const startSession = (session) => {
    const id = crypto.randomUUID()
    sessions.set(id, session)
    const secure = isLocal ? '' : '; Secure'
    return { 'set-cookie': `website=${id}; Path=/; HttpOnly; SameSite=Lax${secure}` }
  }
  const [, id] = /(?:^|; )website=([\w-]+)/.exec(request.headers.cookie ?? '') ?? []
  const session = sessions.get(id)
  const { pathname } = new URL(request.url, SITE_URL)

  switch (`${request.method} ${pathname}`) {
    case 'GET /':
      if (!session?.user) return page('<p>You are signed out. <a href="/sign-in">Sign in</a></p>')
      return page(`<p>Hello ${escapeHtml(session.user.name)}.</p> <a href="/profile">Profile</a>
        <form method="post" action="/sign-out"><button>Sign out</button></form>`)
    case 'GET /sign-in': {
      const fresh = {}
      return redirect(await startSignIn(fresh), startSession(fresh))
    }
    case 'GET /callback': {
      const tokens = await openid.authorizationCodeGrant(accounts, new URL(request.url, SITE_URL), session?.checks)
      const signedIn = { user: tokens.claims() }
      saveTokens(signedIn, tokens)
      sessions.delete(id)
      return redirect('/', startSession(signedIn))
    }
    case 'GET /profile': {
      const profile = session?.user && (await readProfile(session))
      return profile ? page(`<p>${escapeHtml(profile.email)}</p>`) : redirect('/')
    }
    case 'POST /sign-out': {
      sessions.delete(id)
      const parameters = { post_logout_redirect_uri: `${SITE_URL}/` }
      if (session?.idToken) parameters.id_token_hint = session.idToken
      return redirect(openid.buildEndSessionUrl(accounts, parameters))
    }
    case 'POST /backchannel-logout':
      await endSessions(await text(request))
      return response.writeHead(200, { 'cache-control': 'no-store' }).end()
    default:
      return response.writeHead(404).end()
  }
}

const escapeHtml = (value) => String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

createServer((request, response) => {
  answer(request, response).catch((error) => {
    if (isSignedOut(error)) return response.writeHead(303, { location: '/sign-in' }).end()
    console.error(error)
    response.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' }).end('This did not work. Please try again.')
  })
}).listen(Number(PORT), () => console.log(`ready at ${SITE_URL}`))
