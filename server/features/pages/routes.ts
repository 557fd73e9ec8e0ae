import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { developmentPages, pagePaths, pagesWithNext } from '../../../web/shared/pages.ts'
import type { Config } from '../../platform/config/config.ts'
import { parseNext } from '../../platform/http/callback-url.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { FixedResponse } from '../../platform/http/fixed-response.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { errorResponses, PageResponse, redirectResponse } from '../../platform/http/schemas.ts'
import { readAssets } from './assets.ts'
import type { PageDocument } from './page.ts'
import { registerWellKnownRoutes } from './well-known.ts'

const DOCUMENTED_PAGES = ['/account', '/account/security']

/** The page reads the other parameters. */
const NextQuery = Type.Object({ next: Type.Optional(Type.String({ maxLength: 2048 })) })

export function registerPageRoutes(
  app: HttpApp,
  config: Config,
  pagesFolder: string,
  page: PageDocument,
  withMailbox: boolean,
): void {
  const assets = readAssets(pagesFolder)
  const html = page()
  const document =
    html === undefined
      ? undefined
      : new FixedResponse(html, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' })
  const sendPage = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (document === undefined)
      throw new ApiError('SERVICE_UNAVAILABLE', { message: 'The pages are not built: npm start builds them.' })
    return document.send(request, reply)
  }

  registerWellKnownRoutes(app, config)

  for (const url of pagePaths) {
    if (pagesWithNext.includes(url) || (developmentPages.includes(url) && !withMailbox)) continue
    app.get(
      url,
      { config: { access: 'public', rateLimit: 'none', impersonated: 'allowed' }, schema: { hide: true } },
      async (request, reply) => sendPage(request, reply),
    )
  }

  for (const url of pagesWithNext) {
    if (url === '/sign-in') continue
    app.get(
      url,
      {
        config: { access: 'public', rateLimit: 'none', impersonated: 'allowed' },
        schema: {
          hide: !DOCUMENTED_PAGES.includes(url),
          summary: 'Browser entry: the page, with a way back to `next`, an origin from RETURN_TO_ORIGINS',
          querystring: NextQuery,
          response: { ...PageResponse, ...errorResponses(['INVALID_CALLBACK_URL']) },
        },
      },
      async (request, reply) => {
        if (request.query.next !== undefined) parseNext(config, request.query.next)
        return sendPage(request, reply)
      },
    )
  }

  app.get(
    '/sign-in',
    {
      config: { access: 'anyone', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: 'Browser entry: sign in, then back to `next`, an origin from RETURN_TO_ORIGINS',
        querystring: NextQuery,
        response: {
          ...PageResponse,
          ...redirectResponse('`next`, when the browser is signed in'),
          ...errorResponses(['INVALID_CALLBACK_URL']),
        },
      },
    },
    async (request, reply) => {
      if (request.query.next === undefined) return sendPage(request, reply)
      const next = parseNext(config, request.query.next)
      return request.caller ? reply.redirect(next) : sendPage(request, reply)
    },
  )

  app.get(
    '/assets/:file',
    {
      config: { access: 'public', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        hide: true,
        params: Type.Object({ file: Type.String({ pattern: '^[A-Za-z0-9_-]+[A-Za-z0-9._-]*$' }) }),
      },
    },
    async (request, reply) => {
      const asset = assets.get(request.params.file)
      if (!asset) throw new ApiError('NOT_FOUND')
      return asset.send(request, reply)
    },
  )
}
