import { useSyncExternalStore } from 'react'
import { subscribeToNavigation } from './navigation.ts'

const code = document.documentElement.dataset.error
const refusedAddress = currentAddress()

/**
 * The code of the error with which the server answered the address that is shown, or null. It holds for that address
 * alone, whatever fragment it has: a page that was refused must not be shown because its fragment changed.
 */
export function useRefusal(): string | null {
  const address = useSyncExternalStore(subscribeToNavigation, currentAddress)
  return code !== undefined && address === refusedAddress ? code : null
}

function currentAddress(): string {
  return location.pathname + location.search
}
