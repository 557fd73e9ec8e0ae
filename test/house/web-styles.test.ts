import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const SHARED = 'web/shared/styles/'
const CLASS = /\.([a-z][\w-]*)/g

const sheets = globSync('web/**/*.css', { exclude: ['web/dist/**'] }).map((file) => ({
  file,
  feature: file.startsWith(SHARED) ? 'shared' : (file.split('/')[1] ?? ''),
  selectors: selectorsIn(readFileSync(file, 'utf8')),
}))
const sources = [...globSync('web/**/*.{ts,tsx}', { exclude: ['web/dist/**'] }), 'web/index.html']
const source = sources.map((file) => readFileSync(file, 'utf8')).join('\n')
const styled = new Set(sheets.flatMap(({ selectors }) => selectors.flatMap(classesIn)))

test('A component uses each class of the stylesheets', () => {
  assert.ok(styled.size > 100)
  // A class such as `button-danger` is put together from `button-` and the kind.
  const isUsed = (name: string) =>
    new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(source) ||
    source.includes(`${name.slice(0, name.lastIndexOf('-'))}-\${`)
  assert.deepEqual(
    [...styled].filter((name) => !isUsed(name)),
    [],
  )
})

test('A stylesheet has each class that a component names', () => {
  const named = [...source.matchAll(/class(?:Name)?="([^"]+)"/g)].flatMap(([, names = '']) => names.split(' '))
  assert.ok(named.length > 100)
  assert.deepEqual(
    named.filter((name) => !styled.has(name)),
    [],
  )
})

// The browser keeps the styles of each feature that it has loaded, so they apply to the pages that follow, too.
test('Each selector of a feature has a class that no other feature has', () => {
  for (const { file, feature, selectors } of sheets) {
    if (feature === 'shared') continue
    const others = sheets.filter((sheet) => sheet.feature !== feature)
    const foreign = new Set(others.flatMap((sheet) => sheet.selectors.flatMap(classesIn)))
    const leaking = selectors.filter((selector) => classesIn(selector).every((name) => foreign.has(name)))
    assert.deepEqual(leaking, [], `${file} styles other pages`)
  }
})

// The frame is around all pages of signed-in users, so its styles are shared.
test('Each class of the shared styles is used by a shared component, the frame or several features', () => {
  const users = new Map<string, Set<string>>()
  for (const file of sources) {
    const [, feature = ''] = file.split('/')
    for (const name of classNamesIn(readFileSync(file, 'utf8')))
      users.set(name, (users.get(name) ?? new Set()).add(feature))
  }
  const shared = sheets.filter(({ feature }) => feature === 'shared').flatMap(({ selectors }) => selectors)
  // A shared component puts `notice-success` together from `notice-` and the kind.
  const isPutTogether = (name: string) => source.includes(`${name.slice(0, name.lastIndexOf('-'))}-\${`)
  const ofOne = [...new Set(shared.flatMap(classesIn))].filter((name) => {
    const [feature = '', ...others] = users.get(name) ?? []
    const isOfOne = feature !== '' && others.length === 0 && !['shared', 'frame', 'index.html'].includes(feature)
    return isOfOne && !isPutTogether(name)
  })
  assert.deepEqual(ofOne, [])
})

/** The names in the `class` and `className` of elements, also in an expression. */
function classNamesIn(text: string): string[] {
  return [...text.matchAll(/class(?:Name)?=("[^"]*"|\{[^}]*\})/g)].flatMap(
    ([, names = '']) => names.match(/[a-z][\w-]*/g) ?? [],
  )
}

/** Without the names of at-rules and of steps of animations. */
function selectorsIn(css: string): string[] {
  const blocks = css.replace(/\/\*.*?\*\//gs, '').matchAll(/([^{}]+)\{/g)
  return [...blocks]
    .map(([, selector = '']) => selector.trim())
    .filter((selector) => !/^(@|from$|to$)/.test(selector))
    .flatMap((selector) => selector.split(/,(?![^(]*\))/))
    .map((selector) => selector.trim())
}

function classesIn(selector: string): string[] {
  return [...selector.matchAll(CLASS)].map(([, name = '']) => name)
}
