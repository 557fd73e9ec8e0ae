export type Color = `#${string}`

type Channels = [red: number, green: number, blue: number]

/** The contrast of text that WCAG 2.2 requires (success criterion 1.4.3). */
export const TEXT_CONTRAST = 4.5

export function isColor(text: string): text is Color {
  return /^#[0-9a-f]{6}$/i.test(text)
}

/** From 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrastOf(color: Color, otherColor: Color): number {
  const [light = 0, dark = 0] = [luminanceOf(color), luminanceOf(otherColor)].sort((one, other) => other - one)
  return (light + 0.05) / (dark + 0.05)
}

/** @param share of the second color, from 0 to 1 */
export function mix(color: Color, other: Color, share: number): Color {
  const others = channelsOf(other)
  const mixed = channelsOf(color).map((value, index) => Math.round(value * (1 - share) + (others[index] ?? 0) * share))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

/** Mixes in the smallest share of the other color that gives the contrast with every background. */
export function mixForContrast(color: Color, other: Color, backgrounds: Color[], contrast: number): Color {
  for (let percent = 0; percent < 100; percent += 2) {
    const mixed = mix(color, other, percent / 100)
    if (backgrounds.every((background) => contrastOf(mixed, background) >= contrast)) return mixed
  }
  return other
}

function luminanceOf(color: Color): number {
  const [red, green, blue] = channelsOf(color).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as Channels
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channelsOf(color: Color): Channels {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16)) as Channels
}
