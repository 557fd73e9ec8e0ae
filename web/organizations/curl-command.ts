export function tokenCommand(slug: string, key = 'acc_…'): string {
  return `curl -H 'x-api-key: ${key}' '${location.origin}/api/token?org=${slug}'`
}
