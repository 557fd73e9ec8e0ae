import { createServer } from 'node:http'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'

const { ACCOUNTS_URL = 'http://localhost:3000', RESOURCE = 'https://api.example.com', PORT = '4001' } = process.env
const keys = createRemoteJWKSet(new URL('/api/auth/jwks', ACCOUNTS_URL), { cacheMaxAge: 300_000 })
/** The codes of errors of jose that are about the keys of Accounts, and not about the token. */
const UNAVAILABLE = ['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT']

async function readAccessToken(authorization = '') {
  const { payload } = await jwtVerify(authorization.replace(/^bearer /i, ''), keys, {
    issuer: ACCOUNTS_URL,
    audience: RESOURCE,
    typ: 'at+jwt',
    algorithms: ['RS256'],
    requiredClaims: ['sub', 'exp', 'client_id', 'org_id'],
  })
  return payload
}

createServer(async (request, response) => {
  const send = (status, body) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  try {
    const { sub, client_id, org_slug, org_role } = await readAccessToken(request.headers.authorization)
    // A machine has no role.
    if (request.method !== 'GET' && !['owner', 'admin'].includes(org_role)) return send(403, { error: 'forbidden' })
    send(200, { caller: sub, client: client_id, organization: org_slug, role: org_role ?? null })
  } catch (error) {
    const isTheirs = error instanceof errors.JOSEError && !UNAVAILABLE.includes(error.code)
    if (isTheirs) response.setHeader('www-authenticate', 'Bearer error="invalid_token"')
    send(isTheirs ? 401 : 503, { error: isTheirs ? 'unauthorized' : 'unavailable' })
  }
}).listen(Number(PORT), () => console.log(`ready at http://localhost:${PORT}`))
