import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

/** Imports between the features of `web/`; everything else that two features need is in `web/shared/`. */
const ALLOWED: Record<string, string> = {
  'web/account → web/organizations': 'The account page lists the organizations of the user.',
  'web/entry → web/organizations': 'Sign-in and sign-up show the invitation that the browser opened.',
  'web/security → web/account': 'The security page has the header of the account pages.',
}

/** Values that the pages take from the server; types are free, because no build has them. */
const ALLOWED_VALUES: Record<string, string> = {
  'server/platform/mail/device.ts': 'Emails and the list of sessions name a browser alike.',
}

interface Import {
  from: string
  to: string
  isType: boolean
}

const imports: Import[] = globSync('web/**/*.{ts,tsx}', { cwd: root, exclude: ['web/dist'] }).flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^(import|export)( type)? [^'"]*?['"](\.[^'"]+)['"]/gm)].map(
    ([, , type, path = '']) => ({ from: file, to: normalize(join(dirname(file), path)), isType: type !== undefined }),
  ),
)

function isFeature(folder: string): boolean {
  return folder !== 'web' && !folder.startsWith('web/shared')
}

test('a feature of web/ imports shared/ and the features that the list allows', () => {
  const arrows = imports
    .filter(({ to }) => to.startsWith('web/'))
    .map(({ from, to }) => [dirname(from), dirname(to)] as const)
    .filter(([from, to]) => from !== to && from !== 'web' && isFeature(to))
  assert.deepEqual([...new Set(arrows.map(([from, to]) => `${from} → ${to}`))].sort(), Object.keys(ALLOWED).sort())
})

test('the folders of web/ import each other in no circle', () => {
  const remaining = new Set(imports.map(({ from }) => dirname(from)))
  const targets = (folder: string) =>
    imports
      .filter(({ from }) => dirname(from) === folder)
      .map(({ to }) => dirname(to))
      .filter((to) => to !== folder)
  for (;;) {
    const leaf = [...remaining].find((folder) => !targets(folder).some((to) => remaining.has(to)))
    if (leaf === undefined) break
    remaining.delete(leaf)
  }
  assert.deepEqual([...remaining], [])
})

test('web/ takes types from the server, and no values but the listed ones', () => {
  const values = imports.filter(({ to, isType }) => !to.startsWith('web/') && !isType).map(({ to }) => to)
  assert.deepEqual([...new Set(values)].sort(), Object.keys(ALLOWED_VALUES).sort())
})
