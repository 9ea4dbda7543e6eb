/** `1 delivery`, `20,000 deliveries`. */
export function counted(number: number, one: string, many: string): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}
