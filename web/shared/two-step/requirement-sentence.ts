import type { TwoStepStatus } from '../api/two-step.ts'
import { listed } from '../format/list.ts'

type RequiredBy = TwoStepStatus['requiredBy']

/** "This service and Example Works ask for two-step verification." */
export function requirementSentence(requiredBy: RequiredBy): string {
  const names = namesOf(requiredBy)
  return `${names.charAt(0).toUpperCase()}${names.slice(1)} ${requiredBy.length === 1 ? 'asks' : 'ask'} for two-step verification.`
}

/** "this service and Example Works" */
export function namesOf(requiredBy: RequiredBy): string {
  return listed(requiredBy.map((by) => (by.kind === 'service' ? 'this service' : by.name)))
}
