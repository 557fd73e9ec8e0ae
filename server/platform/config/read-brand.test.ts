import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { problemsOf, SECRET } from '../../../test/support/config-problems.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { readConfig } from './config.ts'
import { DEFAULT_ACCENT } from './read-brand.ts'

test('readConfig refuses a BRAND_ACCENT that is no color, or too light to read on white', () => {
  for (const BRAND_ACCENT of ['green', '#0f5', '0f5c4d', '#0f5c4d;}'])
    assert.match(problemsOf({ BRAND_ACCENT }).join(), /^BRAND_ACCENT is ".+": write a color such as #0f5c4d\.$/)
  assert.match(problemsOf({ BRAND_ACCENT: '#777777' }).join(), /its contrast is 4\.5\. Choose a darker color/)
  assert.match(problemsOf({ BRAND_ACCENT: '#ffcc00' }).join(), /its contrast is 1\.5\. Choose a darker color/)
  assert.deepEqual(problemsOf({ BRAND_ACCENT: '#767676' }), [])
})

test('readConfig refuses a BRAND_NAME that could change the sender of emails', () => {
  for (const BRAND_NAME of ['A" B', 'A\\ B', 'A < B', 'A > B', 'A\nB', 'A\u202eB', 'x'.repeat(61), '***'])
    assert.match(problemsOf({ BRAND_NAME }).join('\n'), /^BRAND_NAME must be .+$/)
  assert.equal(readConfig({ SECRET, BRAND_NAME: 'Works, Inc.' }).mailFrom, '"Works, Inc." <accounts@localhost>')
})

test('readConfig refuses a BRAND_MARK that is missing, too large, or neither an SVG nor a PNG', (t) => {
  const folder = createTemporaryFolder(t)
  const BRAND_MARK = join(folder, 'mark')
  const read = () => problemsOf({ BRAND_MARK }).join()
  const advice = `check that ${BRAND_MARK} is a file that the service may read.`
  assert.equal(read(), `BRAND_MARK names ${BRAND_MARK}, which can't be read: ${advice}`)
  const inWorkingFolder = relative('.', BRAND_MARK)
  assert.ok(problemsOf({ BRAND_MARK: inWorkingFolder }).join().endsWith(advice), 'a relative path is resolved')
  writeFileSync(BRAND_MARK, '<!doctype html><svg></svg>')
  assert.match(read(), /neither an SVG nor a PNG: save the picture as one of them\.$/)
  writeFileSync(BRAND_MARK, `<svg>${' '.repeat(64 * 1024)}</svg>`)
  assert.match(read(), /more than 64 KiB: choose a smaller picture\.$/)
  writeFileSync(BRAND_MARK, Buffer.from('89504e470d0a1a0a00', 'hex'))
  assert.equal(read(), '')
})

test('readConfig accepts an SVG with comments and a document type as BRAND_MARK', (t) => {
  const BRAND_MARK = join(createTemporaryFolder(t), 'mark.svg')
  const address = 'http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd'
  for (const beginning of [
    '\uFEFF<?xml version="1.0"?>\n<!-- one --><!-- two -->\n',
    `<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "${address}">\n`,
    `<!-- one -->\n<!DOCTYPE svg PUBLIC "" "${address}" [\n<!ENTITY ns_svg "http://www.w3.org/2000/svg">\n]>\n<!-- two -->`,
  ]) {
    writeFileSync(BRAND_MARK, `${beginning}<svg></svg>`)
    assert.deepEqual(problemsOf({ BRAND_MARK }), [], beginning)
  }
})

test('readConfig refuses a BRAND_MARK of many comments without an SVG at once', (t) => {
  const BRAND_MARK = join(createTemporaryFolder(t), 'mark.svg')
  writeFileSync(BRAND_MARK, `${'<!-- a comment -->'.repeat(40)}<p>`)
  assert.match(problemsOf({ BRAND_MARK }).join(), /neither an SVG nor a PNG/)
})

test('readConfig refuses a picture in SERVICES that is too large, also as a data: URL', (t) => {
  const icon = join(createTemporaryFolder(t), 'icon.svg')
  const problemOf = (named: string) =>
    problemsOf({ SERVICES: JSON.stringify([{ name: 'A', origin: 'https://a.example', icon: named }]) }).join()
  for (const [bytes, problem] of [
    [16 * 1024, /^$/],
    [16 * 1024 + 1, /^SERVICES .+ more than 16 KiB: choose a smaller picture\.$/],
  ] as const) {
    const content = '<svg></svg>'.padEnd(bytes)
    writeFileSync(icon, content)
    assert.match(problemOf(icon), problem)
    assert.match(problemOf(`data:image/svg+xml;base64,${Buffer.from(content).toString('base64')}`), problem)
  }
})

test('readConfig refuses SERVICES that is no list, has unknown fields, or an origin that RETURN_TO_ORIGINS may not have', (t) => {
  for (const SERVICES of [
    'Payroll',
    '{}',
    '[1]',
    '[{"name":"A"}]',
    '[{"name":"A","origin":"https://a.example","url":1}]',
  ])
    assert.match(problemsOf({ SERVICES }).join(), /^SERVICES is no list of services: write /)
  const withPath = [{ name: 'A', origin: 'https://a.example/path' }]
  assert.match(problemsOf({ SERVICES: JSON.stringify(withPath) }).join(), /^SERVICES has "https:\/\/a\.example\/path"/)
  const folder = createTemporaryFolder(t)
  const icon = join(folder, 'icon.svg')
  const SERVICES = JSON.stringify([{ name: 'A', origin: 'https://a.example', icon }])
  assert.match(problemsOf({ SERVICES }).join(), /^SERVICES names .+icon\.svg, which can't be read/)
  writeFileSync(icon, '<svg/>'.replace('/>', '></svg>'))
  const { services, returnToOrigins } = readConfig({ SECRET, SERVICES, RETURN_TO_ORIGINS: 'https://a.example' })
  assert.match(services[0]?.icon ?? '', /^data:image\/svg\+xml;base64,/)
  assert.deepEqual(returnToOrigins, ['https://a.example'])
})

test('readConfig accepts only web and mailto addresses for support, and only web addresses for privacy', () => {
  const [support, privacy, ...more] = problemsOf({
    SUPPORT_URL: 'javascript:alert(1)',
    PRIVACY_URL: 'mailto:a@b.example',
  })
  assert.deepEqual(more, [])
  assert.match(support ?? '', /^SUPPORT_URL is not an address that starts with https: or http: or mailto:/)
  assert.match(privacy ?? '', /^PRIVACY_URL is not/)
})

test("readConfig refuses a SUPPORT_URL whose email address can't be decoded", () => {
  const problem = 'SUPPORT_URL has a % that is no encoded character: write it as %25.'
  assert.deepEqual(problemsOf({ SUPPORT_URL: 'mailto:50%off@example.com' }), [problem])
  for (const SUPPORT_URL of ['mailto:50%25off@example.com?subject=50%', 'https://example.com/50%off'])
    assert.deepEqual(problemsOf({ SUPPORT_URL }), [])
})

test('The default accent is the one of the pages', () => {
  const tokens = readFileSync(new URL('../../../web/shared/styles/tokens.css', import.meta.url), 'utf8')
  assert.equal(/--accent: (#\w+);/.exec(tokens)?.[1], DEFAULT_ACCENT)
})

test('An empty BRAND_ACCENT is refused, because # begins a comment in .env', () => {
  assert.match(problemsOf({ BRAND_ACCENT: '' }).join(), /^BRAND_ACCENT is empty: write a color in quotes/)
})
