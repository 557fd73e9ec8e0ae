import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Color, contrastOf, isColor, TEXT_CONTRAST } from './colors.ts'
import { DARK_SURFACE, darkPalette, LIGHT_SURFACE, lightPalette } from './palette.ts'

/** Colors of each hue that BRAND_ACCENT may have, the lightest of them included. */
function allowedAccents(): Color[] {
  const accents: Color[] = []
  for (let number = 0; number < 0x1000; number += 1) {
    const digits = number.toString(16).padStart(3, '0')
    const color = `#${[...digits].map((digit) => digit + digit).join('')}`
    if (isColor(color) && contrastOf(color, '#ffffff') >= TEXT_CONTRAST) accents.push(color)
  }
  return accents
}

test('Every allowed BRAND_ACCENT is readable on every surface, light and dark', () => {
  const accents = allowedAccents()
  assert.ok(accents.length > 500)
  for (const brandAccent of accents) {
    const light = lightPalette(brandAccent)
    const dark = darkPalette(brandAccent)
    const pairs: [Color, Color][] = [
      [light.accent, LIGHT_SURFACE],
      [light.accent, light.tint],
      [light.onAccent, light.accent],
      [light.onAccent, light.strong],
      [dark.accent, DARK_SURFACE],
      [dark.accent, dark.tint],
      [dark.onAccent, dark.accent],
      [dark.onAccent, dark.strong],
    ]
    for (const [text, background] of pairs)
      assert.ok(contrastOf(text, background) >= TEXT_CONTRAST, `${brandAccent}: ${text} on ${background}`)
  }
})

test('contrastOf follows the examples of WCAG', () => {
  assert.equal(contrastOf('#000000', '#ffffff'), 21)
  assert.equal(contrastOf('#ffffff', '#ffffff'), 1)
  assert.equal(contrastOf('#767676', '#ffffff').toFixed(2), '4.54')
})
