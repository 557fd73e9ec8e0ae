import helmet from '@fastify/helmet'
import type { Config } from '../config.ts'
import type { App } from './typed-app.ts'

/** On every response: nothing runs, loads or frames but what we serve ourselves; no script or style stands in the page. */
export async function setSecurityHeaders(app: App, config: Config): Promise<void> {
  const secure = config.baseUrl.startsWith('https:')
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        objectSrc: ["'none'"],
        formAction: ["'self'"],
      },
    },
    hsts: secure && { maxAge: 365 * 86_400, includeSubDomains: false },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    // It would tie a whole origin's pages together for no use of ours, and warn where one of them differs.
    originAgentCluster: false,
    // Other origins read our answers by CORS; who may is said there.
    crossOriginResourcePolicy: { policy: 'same-site' },
  })
}
