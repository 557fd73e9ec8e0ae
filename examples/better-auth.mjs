import { createServer } from 'node:http'
import { betterAuth } from 'better-auth'
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import { genericOAuth } from 'better-auth/plugins'

const { ACCOUNTS_URL = 'http://localhost:3000', SITE_URL = 'http://localhost:4000' } = process.env
const { CLIENT_ID, CLIENT_SECRET, BETTER_AUTH_SECRET } = process.env

// Without a database, Better Auth stores its session in encrypted cookies.
const auth = betterAuth({
  baseURL: SITE_URL,
  secret: BETTER_AUTH_SECRET,
  plugins: [
    genericOAuth({
      config: [
        {
          providerId: 'accounts',
          discoveryUrl: `${ACCOUNTS_URL}/.well-known/openid-configuration`,
          requireIdTokenVerification: true,
          clientId: CLIENT_ID,
          clientSecret: CLIENT_SECRET,
          tokenEndpointAuth: { method: 'client_secret_basic' },
          scopes: ['openid', 'profile', 'email'],
          postLogoutRedirectURI: '/',
        },
      ],
    }),
  ],
})
const handler = toNodeHandler(auth)

createServer(async (request, response) => {
  if (request.url.startsWith('/api/auth/')) return handler(request, response)
  const session = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) })
  if (request.url === '/me') return response.end(JSON.stringify(session?.user ?? null))
  if (request.url !== '/sign-in') return response.writeHead(404).end()
  // In a page: authClient.signIn.social({ provider: 'accounts', callbackURL: '/me' })
  const { headers, response: answer } = await auth.api.signInSocial({
    body: { provider: 'accounts', callbackURL: '/me' },
    returnHeaders: true,
  })
  for (const cookie of headers.getSetCookie()) response.appendHeader('set-cookie', cookie)
  response.writeHead(303, { location: answer.url }).end()
}).listen(new URL(SITE_URL).port, () => console.log(`ready at ${SITE_URL}`))
