import { useLocationProperty } from 'wouter/use-browser-location'
import { pagesWithInteraction } from '../pages.ts'

const ID = /^[\w-]{1,64}$/
/** The values of `prompt` that `/sign-in` obeys. Other pages pass `prompt` on. */
const PROMPTS = ['login', 'select_account']

/** The id of the interaction for which an app waits: the user signs in, chooses or allows. */
export function interactionId(): string | null {
  const id = pagesWithInteraction.includes(location.pathname) ? parameter('interaction') : null
  return id !== null && ID.test(id) ? id : null
}

export function useInteractionId(): string | null {
  return useLocationProperty(interactionId)
}

/** With `login`, a signed-in user signs in again. With `select_account`, the user may sign in as another user. */
export function promptOfPage(): string | null {
  const prompt = interactionId() === null ? null : parameter('prompt')
  return prompt !== null && PROMPTS.includes(prompt) ? prompt : null
}

function parameter(name: string): string | null {
  return new URLSearchParams(location.search).get(name)
}
