# cryptodata completions for PowerShell. The script asks the program, so it knows the commands of every version.

Register-ArgumentCompleter -Native -CommandName 'cryptodata' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $length = $cursorPosition - $commandAst.Extent.StartOffset
    $line = $commandAst.Extent.Text.PadRight($length).Substring(0, $length)
    # The first line describes the answer. Without values, PowerShell completes file names itself.
    & cryptodata __complete --line $line $wordToComplete 2>$null | Select-Object -Skip 1 | ForEach-Object {
        $value, $text = $_ -split "`t", 2
        if (-not $text) { $text = $value }
        $word = $value
        if ($value -match '[^\w./:=,+%-]') { $word = "'" + $value.Replace("'", "''") + "'" }
        [System.Management.Automation.CompletionResult]::new($word, $value, 'ParameterValue', $text)
    }
}
