import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { SERVER_SOURCES } from '../../scripts/prepare/pages.mjs'
import { assertNoCircle, type Import, listImports } from '../support/imports.ts'

/** Features of `web/` that use another feature, with the reason. What several features need is in `web/shared/`. */
const ALLOWED: Record<string, string> = {
  'web/apps → web/security': 'a user sets up two-step verification on the way to an app',
  'web/entry → web/invitations': 'sign-in and sign-up show the invitation that the browser opened',
}

/** Files that the pages and the server both run. Types may cross, because no build contains them. */
const RUN_BY_BOTH: Record<string, string> = {
  'server/core/credentials/password-pattern.ts': 'the strength of a password names what the service refuses',
  'server/core/credentials/personal-words.ts': 'the strength of a password names what the service refuses',
  'server/core/field-limits.ts': 'a field says that it is too long before the service is asked',
  'server/platform/http/small-picture.ts':
    'the service refuses, and the pages do not show, a picture that hangs a browser',
  'server/platform/http/user-agent.ts': 'emails and the list of sessions name a browser alike',
  'server/platform/time/format-time.ts':
    'the pages replace a time in UTC in a sentence of the service by the local one',
  'web/shared/pages.ts': 'the server serves the pages that the document shows',
}

const web = listImports('web/**/*.{ts,tsx}')
/** A feature may have folders of its own. */
const featureOf = (file: string) => dirname(file).split('/').slice(0, 2).join('/')

const inside = web.filter(({ to }) => to.startsWith('web/'))

test('A feature of web/ imports shared/ and the features that the list allows', () => {
  const arrows = inside
    .map(({ from, to }) => ({ from: featureOf(from), to: featureOf(to) }))
    .filter(({ from, to }) => from !== to && from !== 'web' && !to.startsWith('web/shared'))
  assert.deepEqual([...new Set(arrows.map(({ from, to }) => `${from} → ${to}`))].sort(), Object.keys(ALLOWED).sort())
})

test('No folder of web/ imports itself by way of others', () => {
  assertNoCircle(inside, dirname)
})

test('The pages and the server import only types of each other, and the files that both run', () => {
  const isCrossing = ({ from, to, isType }: Import) => !isType && from.split('/')[0] !== to.split('/')[0]
  const crossings = [...web, ...listImports('server/**/*.ts')].filter(isCrossing).map(({ to }) => to)
  assert.deepEqual([...new Set(crossings)].sort(), Object.keys(RUN_BY_BOTH).sort())
  const ofServer = Object.keys(RUN_BY_BOTH).filter((file) => file.startsWith('server/'))
  assert.deepEqual(ofServer, SERVER_SOURCES, 'prepare builds the pages again when one of them changes')
})
