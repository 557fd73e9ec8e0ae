import type { TwoStepStatus } from '../api/two-step.ts'

const LIST = new Intl.ListFormat('en', { type: 'conjunction' })

type RequiredBy = TwoStepStatus['requiredBy']

/** "This service and Example Works ask for two-step verification." */
export function requirementSentence(requiredBy: RequiredBy): string {
  return `${namesOf(requiredBy)} ${requiredBy.length === 1 ? 'asks' : 'ask'} for two-step verification.`
}

function namesOf(requiredBy: RequiredBy): string {
  const names = requiredBy.map((by) => (by.kind === 'service' ? 'this service' : by.name))
  const text = LIST.format(names)
  return text.charAt(0).toUpperCase() + text.slice(1)
}
