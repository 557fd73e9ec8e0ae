import { type Access, accessRuleOf } from '../core/access/access-rules.ts'
import type { DeclaredRoute } from '../core/access/declared-routes.ts'
import type { Command } from './command.ts'
import { withOfflineApp } from './offline-app.ts'

const HEADINGS = ['METHOD', 'PATH', 'SESSION', 'EMAIL', 'FRESH', 'PERMISSION', 'LIMIT', 'ORIGINS', 'IMPERSONATED']

export const accessCommand: Command = {
  summary: 'Print what every route requires of its caller',
  help: `Usage: npm run accounts -- access

Prints a table of all routes, from their own declarations. No database is touched.

  SESSION       required; optional: a caller without one is answered too; ignored: credentials are not read
  EMAIL         verified: the user's email address must be verified
  FRESH         fresh: the session must be authenticated in the last 15 minutes
  PERMISSION    what the role in the service (staff) or in the organization must grant
  LIMIT         the rate limit; the OpenAPI document says how many requests each allows
  ORIGINS       own: BASE_URL and TRUSTED_ORIGINS; services: RETURN_TO_ORIGINS too; client: those of the redirect URIs
                of the OAuth client, if it is public or asks for userinfo; all: every origin, without credentials
  IMPERSONATED  whether staff may call it while they impersonate a user`,
  run: (config, runtime) =>
    withOfflineApp(config, runtime, (app) => {
      console.log(formatTable([HEADINGS, ...app.declaredRoutes.filter(isShown).sort(byPath).map(toCells)]))
    }),
}

const ORIGINS = { refused: 'own', allowed: 'services', 'decided by client': 'client', public: 'all' } as const

/** Fastify adds a HEAD route to a GET route, with the same declaration. */
function isShown({ method }: DeclaredRoute): boolean {
  return method !== 'HEAD'
}

function byPath(one: DeclaredRoute, other: DeclaredRoute): number {
  return one.url < other.url ? -1 : Number(one.url > other.url)
}

function toCells({ method, url, access, rateLimit, otherOrigins, impersonated }: DeclaredRoute): string[] {
  const { session, replacedBy, verified, fresh } = accessRuleOf(access)
  return [
    method,
    url,
    replacedBy === null ? session : `${session}, or ${replacedBy}`,
    verified ? 'verified' : '-',
    fresh ? 'fresh' : '-',
    permissionOf(access),
    rateLimit,
    ORIGINS[otherOrigins ?? 'refused'],
    impersonated,
  ]
}

function permissionOf(access: Access): string {
  if (typeof access === 'string') return '-'
  if ('client' in access) return `owner of the client: ${access.client}`
  return 'staff' in access ? `staff ${access.staff}` : access.organization
}

function formatTable(rows: string[][]): string {
  const widths = HEADINGS.map((_heading, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)))
  const lines = rows.map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return lines.map((line) => line.trimEnd()).join('\n')
}
