import { darkPalette, lightPalette, type Palette } from '../../platform/brand/palette.ts'
import { type Brand, DEFAULT_ACCENT } from '../../platform/config/read-brand.ts'

/** Replaces the default colors of web/shared/styles/tokens.css. Empty for the default BRAND_ACCENT. */
export function brandStyle({ accent }: Pick<Brand, 'accent'>): string {
  if (accent === DEFAULT_ACCENT) return ''
  const dark = `@media (prefers-color-scheme: dark) {\n${rule(darkPalette(accent))}}\n`
  return `${rule(lightPalette(accent))}${dark}`
}

/** `html:root` is more specific than `:root`, so that the order of the stylesheets does not matter. */
function rule({ accent, strong, tint, onAccent }: Palette): string {
  return `html:root { --accent: ${accent}; --accent-strong: ${strong}; --accent-tint: ${tint}; --on-accent: ${onAccent} }\n`
}
