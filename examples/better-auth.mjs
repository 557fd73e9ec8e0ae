import { createServer } from 'node:http'
import { betterAuth } from 'better-auth'
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import { genericOAuth } from 'better-auth/plugins'

const { ACCOUNTS_URL = 'http://localhost:3000', SITE_URL = 'http://localhost:4000' } = process.env
const { CLIENT_ID, CLIENT_SECRET, BETTER_AUTH_SECRET, PORT = new URL(SITE_URL).port } = process.env
// Better Auth would take a secret that is published in its code.
if (!BETTER_AUTH_SECRET) throw new Error('Set BETTER_AUTH_SECRET.')

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

async function answer(request, response) {
  if (request.url.startsWith('/api/auth/')) return handler(request, response)
  const session = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) })
  if (request.url === '/') return response.end(JSON.stringify(session?.user ?? null))
  if (request.url !== '/sign-in') return response.writeHead(404).end()
  // A page does this with authClient.signIn.social({ provider: 'accounts', callbackURL: '/' })
  const { headers, response: started } = await auth.api.signInSocial({
    body: { provider: 'accounts', callbackURL: '/' },
    returnHeaders: true,
  })
  response.setHeader('set-cookie', headers.getSetCookie())
  response.writeHead(303, { location: started.url }).end()
}

createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error)
    response.writeHead(500).end('This did not work. Please try again.')
  })
}).listen(Number(PORT), () => console.log(`ready at ${SITE_URL}`))
