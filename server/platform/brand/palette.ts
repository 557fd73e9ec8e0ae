import { type Color, mix, mixForContrast, TEXT_CONTRAST } from './colors.ts'

/** Text in these colors is readable on every surface of the pages and the emails. */
export interface Palette {
  accent: Color
  /** For a control under the pointer. */
  strong: Color
  /** A background for text in the accent. */
  tint: Color
  onAccent: Color
}

const WHITE = '#ffffff'
const BLACK = '#000000'
/** The surfaces of web/shared/styles/tokens.css that are the hardest to read on. */
export const LIGHT_SURFACE = '#f3f2ee'
export const DARK_SURFACE = '#232a28'
const DARK_CONTRAST = 6

export function lightPalette(brandAccent: Color): Palette {
  const tint = mix(brandAccent, WHITE, 0.88)
  const accent = mixForContrast(brandAccent, BLACK, [LIGHT_SURFACE, tint], TEXT_CONTRAST)
  return { accent, strong: mix(accent, BLACK, 0.24), tint, onAccent: WHITE }
}

export function darkPalette(brandAccent: Color): Palette {
  const tint = mix(brandAccent, DARK_SURFACE, 0.6)
  const accent = mixForContrast(brandAccent, WHITE, [DARK_SURFACE, tint], DARK_CONTRAST)
  return { accent, strong: mix(accent, WHITE, 0.3), tint, onAccent: mix(accent, BLACK, 0.86) }
}
