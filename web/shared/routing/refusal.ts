import { useLocationProperty } from 'wouter/use-browser-location'

const code = document.documentElement.dataset.error
const refusedAddress = currentAddress()

/**
 * The error code with which the server refused the current address, or null. The fragment does not count: a change of it
 * must not show a refused page.
 */
export function useRefusal(): string | null {
  return useLocationProperty(() => (code !== undefined && currentAddress() === refusedAddress ? code : null))
}

function currentAddress(): string {
  return location.pathname + location.search
}
