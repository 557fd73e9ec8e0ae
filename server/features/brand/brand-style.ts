import { darkPalette, lightPalette, type Palette } from '../../platform/brand/palette.ts'
import { type Brand, DEFAULT_ACCENT } from '../../platform/config/read-brand.ts'

/**
 * The style rules with the colors of BRAND_ACCENT, which replace the default ones of web/shared/styles/tokens.css.
 * @returns an empty text for the default BRAND_ACCENT
 */
export function brandStyle({ accent }: Pick<Brand, 'accent'>): string {
  if (accent === DEFAULT_ACCENT) return ''
  const dark = `@media (prefers-color-scheme: dark) {\n${rule(darkPalette(accent))}}\n`
  return `${rule(lightPalette(accent))}${dark}`
}

/** `html:root` is more specific than `:root`, so that the order of the stylesheets does not matter. */
function rule({ accent, strong, tint, onAccent }: Palette): string {
  return `html:root { --accent: ${accent}; --accent-strong: ${strong}; --accent-tint: ${tint}; --on-accent: ${onAccent} }\n`
}
