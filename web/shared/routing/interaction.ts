import { useLocationProperty } from 'wouter/use-browser-location'
import { pagesWithInteraction } from '../pages.ts'

const ID = /^[\w-]{1,64}$/
/** What `/sign-in` may get with an interaction, and other pages hand on. */
const PROMPTS = ['login', 'select_account']

/** The id of what an app waits for: that the user signs in, chooses or allows. */
export function interactionId(): string | null {
  const id = pagesWithInteraction.includes(location.pathname) ? parameter('interaction') : null
  return id !== null && ID.test(id) ? id : null
}

export function useInteractionId(): string | null {
  return useLocationProperty(interactionId)
}

/** `login`: the user signs in although signed in. `select_account`: maybe as another user. */
export function promptOfPage(): string | null {
  const prompt = interactionId() === null ? null : parameter('prompt')
  return prompt !== null && PROMPTS.includes(prompt) ? prompt : null
}

function parameter(name: string): string | null {
  return new URLSearchParams(location.search).get(name)
}
