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
