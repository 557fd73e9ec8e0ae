const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#x27;' }

/** Markup that the `html` tag does not escape a second time. */
class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
  toString(): string {
    return this.markup
  }
}

export type { Html }

/** Template tag. Escapes every value but the results of this tag (CVE-2022-31127), and joins lists. */
export function html(strings: TemplateStringsArray, ...values: (string | Html | Html[])[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(toMarkup)))
}

function toMarkup(value: string | Html | Html[]): string {
  if (Array.isArray(value)) return value.join('')
  return value instanceof Html ? value.markup : value.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
